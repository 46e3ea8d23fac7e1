import { type Database, timestamp } from "../database/database.ts";
import { createAgent } from "../features/agents/index.ts";
import { createCampaign } from "../features/campaigns/index.ts";
import { addNumber } from "../features/numbers/index.ts";
import { createOrganization } from "../features/organizations/index.ts";
import { idsFrom, type NewId } from "../ids.ts";
import type { Person } from "./people/make-people.ts";
import * as sql from "./simulation.sql.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** How the campaign dials. */
export interface CampaignPlan {
  mode: "ai" | "power" | "predictive";
  /** Calls at once (ai) or people talked to at once. */
  seats: number;
  maxAttempts: number;
  retry: { busy: number; no_answer: number; voicemail: number; network_failure: number };
}

/** An organization with a campaign, and all that it needs to dial. */
export interface World {
  database: Database;
  clock: VirtualClock;
  newId: NewId;
  organizationId: string;
  campaignId: string;
  agentId: string;
  callerId: string;
  ratePerMinute: number;
}

const ACTOR = "simulation";
const CALLER_ID = "+12125550150";
/** Never the limit. */
const TOKENS = 1_000_000_000_000;
/** A power dialer at ten lines a seat needs no more. */
const LINES_PER_SEAT = 12;
const ROWS_AT_ONCE = 2_000;

export async function buildWorld(
  deps: { database: Database; clock: VirtualClock },
  people: readonly Person[],
  plan: CampaignPlan,
): Promise<World> {
  const { database, clock } = deps;
  const newId = idsFrom(clock);
  const making = { database, clock, newId, deliveriesQueued() {} };
  const organization = await createOrganization(making, {
    actor: ACTOR,
    name: "Simulation",
    balanceTokens: TOKENS,
    concurrencyLimit: plan.seats * (plan.mode === "ai" ? 1 : LINES_PER_SEAT),
  });
  const organizationId = organization.id;
  const agent = await createAgent(making, {
    ...{ organizationId, actor: ACTOR, managedBy: "api" },
    body: { name: "Simulation", call_template: { system_prompt: "You are simulated." } },
  });
  const { number } = await addNumber(making, { organizationId, actor: ACTOR, phoneNumber: CALLER_ID });
  const campaign = await createCampaign(making, {
    organizationId,
    actor: ACTOR,
    body: {
      name: "Simulation",
      status: "active",
      dialer_mode: plan.mode,
      assigned_ai_agent_id: agent.id,
      concurrency: plan.seats,
      max_attempts: plan.maxAttempts,
      retry_minutes: plan.retry,
      require_consent: true,
    },
  });
  const now = timestamp(clock.now());
  const listed = people.filter((person) => person.listed).map(({ phoneNumber }) => phoneNumber);
  await database.query({ ...sql.listNumbers, values: [organizationId, listed, now] });
  for (let from = 0; from < people.length; from += ROWS_AT_ONCE) {
    const rows = people
      .slice(from, from + ROWS_AT_ONCE)
      .map(({ phoneNumber, consented }) => ({ id: newId(), phone_number: phoneNumber, consented }));
    const values = [organizationId, campaign.id, now, JSON.stringify(rows)];
    await database.query({ ...sql.insertLeads, values });
  }
  await database.query({ text: sql.analyze });
  return {
    ...{ database, clock, newId, organizationId, campaignId: campaign.id, agentId: agent.id },
    ...{ callerId: number.phone_number, ratePerMinute: organization.phone_rate_per_minute },
  };
}

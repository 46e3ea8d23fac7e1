import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { createAgent } from "../features/agents/index.ts";
import { createKey } from "../features/api-keys/index.ts";
import { creditWallet } from "../features/billing/index.ts";
import { createCampaign } from "../features/campaigns/index.ts";
import { createLead, createLeadWriter } from "../features/leads/index.ts";
import { addNumber } from "../features/numbers/index.ts";
import { createOrganization } from "../features/organizations/index.ts";
import type { NewId } from "../ids.ts";
import * as sql from "./demo.sql.ts";
import { inOneTransaction } from "./in-one-transaction.ts";

/** A thousand dollars. */
const TOKENS = 1_000_000;
const ACTOR = "demo";
/** Of the simulated carrier, and of the numbers that are kept for fiction. */
const CALLER_ID = "+12125550150";
const AGENT = {
  system_prompt: "You answer for Outreach's demo. Be short and friendly.",
  greeting: "Hello, this is the demo agent of Outreach. How are you today?",
  recording_enabled: true,
  // A person of the simulated carrier, who answers.
  transfer_number: "+14155550100",
};
/**
 * One of each that the simulated carrier has: what follows the area code says what happens. All of them may be called at 18:00 UTC,
 * on any day. None is a number of the lines to try.
 */
const LEADS = [
  ["Ada", "+16465550100"],
  ["Grace", "+13125550101"],
  ["Alan", "+13035550102"],
  ["Edsger", "+12135550103"],
  ["Barbara", "+13055550104"],
  ["Donald", "+14045550105"],
  ["Frances", "+12065550106"],
  ["Tony", "+16175550107"],
  ["Radia", "+16025550108"],
  ["Ken", "+16125550109"],
] as const;

export interface Demo {
  organizationId: string;
  tokens: number;
  /** A draft with the agent and a few leads. */
  campaignId: string;
  agentId: string;
  /** E.164 */
  callerId: string;
  /** Only here and now: the database keeps their hashes. */
  liveKey: string;
  sandboxKey: string;
}

/**
 * Makes a demo organization and a sandbox beside it when the database has no organization yet, else nothing.
 * All of it or none, and once, also with several starters: it is one transaction behind a lock.
 */
export async function createDemo(deps: {
  database: Database;
  clock: Clock;
  newId: NewId;
}): Promise<Demo | null> {
  return deps.database.transaction(async (transaction) => {
    await transaction.query(sql.lockDemo);
    const [any] = await transaction.query<{ found: boolean }>(sql.anyOrganization);
    if (any!.found) return null;

    const inside = {
      ...deps,
      database: inOneTransaction(deps.database, transaction),
      // Nobody has subscribed to anything yet.
      deliveriesQueued() {},
    };
    const organization = await createOrganization(inside, { actor: ACTOR, name: "Demo" });
    const sandbox = await createOrganization(inside, { actor: ACTOR, name: "Demo sandbox", sandbox: true });
    const live = await createKey(inside, {
      organizationId: organization.id,
      actor: ACTOR,
      name: "Demo live key",
    });
    const test = await createKey(inside, {
      organizationId: sandbox.id,
      actor: ACTOR,
      name: "Demo sandbox key",
    });
    await creditWallet(inside, {
      organizationId: organization.id,
      actor: ACTOR,
      tokens: TOKENS,
      note: "Demo",
    });
    const agent = await createAgent(inside, {
      organizationId: organization.id,
      actor: ACTOR,
      managedBy: "api",
      body: { name: "Demo agent", call_template: AGENT },
    });
    const campaign = await createCampaign(inside, {
      organizationId: organization.id,
      actor: ACTOR,
      body: { name: "Demo campaign", assigned_ai_agent_id: agent.id },
    });
    const leadWriter = createLeadWriter(inside);
    for (const [first_name, phone_number] of LEADS) {
      await createLead(
        { ...inside, leadWriter },
        {
          organizationId: organization.id,
          body: { first_name, phone_number, campaign_id: campaign.id, consent_source: "demo" },
        },
      );
    }
    const { number } = await addNumber(inside, {
      organizationId: organization.id,
      actor: ACTOR,
      phoneNumber: CALLER_ID,
    });
    return {
      organizationId: organization.id,
      tokens: TOKENS,
      campaignId: campaign.id,
      agentId: agent.id,
      callerId: number.phone_number,
      liveKey: live.key,
      sandboxKey: test.key,
    };
  });
}

import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { CampaignProgress } from "./progress.schema.ts";
import * as sql from "./progress.sql.ts";
import { readCampaign } from "./read-campaigns.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type EntryState = "waiting" | "dialing" | "blocked" | "done" | "left";

interface Outcome {
  outcome: string | null;
  count: number;
  settled: number;
  settled_by_person: number;
  by_person: number;
  by_machine: number;
  cost_tokens: number;
}

/** How far a campaign is: counts, not all of the very same moment. @throws DomainError not_found */
export async function readProgress(
  deps: { database: Database; clock: Clock },
  organizationId: string,
  id: string,
): Promise<CampaignProgress> {
  const { database } = deps;
  const now = deps.clock.now();
  const campaign = await readCampaign(deps, organizationId, id);
  const of = [organizationId, id];
  const [entries, outcomes, abandonment, hours, recent, live] = await Promise.all([
    database.query<{ state: EntryState; count: number; next_due_at: string | null }>({
      ...sql.countEntries,
      values: of,
    }),
    database.query<Outcome>({ ...sql.countOutcomes, values: of }),
    database.query<{ abandoned: number; answered: number }>({
      ...sql.countAbandoned,
      values: [...of, timestamp(now - 30 * DAY_MS)],
    }),
    database.query<{ hour: string; attempts: number; answered: number }>({
      ...sql.countHours,
      values: [...of, timestamp(now - DAY_MS)],
    }),
    database.query<{ attempts: number }>({ ...sql.countSince, values: [...of, timestamp(now - HOUR_MS)] }),
    database.query<{ live: number }>({ ...sql.countLive, values: of }),
  ]);
  const inState = (state: EntryState) => entries.find((entry) => entry.state === state)?.count ?? 0;
  const sum = (field: Exclude<keyof Outcome, "outcome">) =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  const waiting = inState("waiting");
  const dialing = inState("dialing");
  const blocked = inState("blocked");
  const done = inState("done");
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    halted_because: campaign.halted_because,
    launched_at: campaign.launched_at,
    leads: waiting + dialing + blocked + done,
    waiting,
    dialing,
    blocked,
    done,
    left: inState("left"),
    next_due_at: entries.find(({ state }) => state === "waiting")?.next_due_at ?? null,
    live_now: live[0]!.live,
    attempts: sum("count"),
    answered: sum("by_person"),
    machines: sum("by_machine"),
    answer_rate: rateOf(sum("settled_by_person"), sum("settled")),
    abandoned_30_days: abandonment[0]!.abandoned,
    abandonment_rate_30_days: rateOf(abandonment[0]!.abandoned, abandonment[0]!.answered),
    cost_tokens: sum("cost_tokens"),
    attempts_last_hour: recent[0]!.attempts,
    outcomes: outcomes.map(({ outcome, count }) => ({ outcome, count })),
    hours,
  };
}

/** To four places; null of nothing. */
function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { CallQuestion, Verdict } from "../compliance/index.ts";
import type { CampaignPreview } from "./campaign-preview.schema.ts";
import { readEntries } from "./dial-facts.sql.ts";
import { type DialTerms, type EntryFacts, questionOf, readTerms } from "./dial-facts.ts";
import { attemptRules, isOurs } from "./lead-states.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** A few milliseconds of deciding at a time. */
const LEADS_PER_BATCH = 1_000;

/** What the dialer writes into the status of a lead that it would try again. */
const RETRIED: ReadonlySet<string> = new Set(
  Object.values(attemptRules)
    .filter(({ retry }) => retry !== null)
    .map(({ leadStatus }) => leadStatus),
);

/**
 * What the dialer would decide on each lead of a campaign if it were active and looked at all of them now: by the same facts and
 * the same rules. Batch by batch, so that it takes as much memory for a million leads as for a thousand; leads that change
 * meanwhile are counted as they are when their batch is read.
 * @throws DomainError not_found
 */
export async function previewCampaign(
  deps: { database: Database; clock: Clock; decideCall(question: CallQuestion): Verdict },
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<CampaignPreview> {
  const at = deps.clock.now();
  const terms = await readTerms(deps.database, organizationId, campaignId);
  if (!terms) throw new DomainError("not_found", "There is no such campaign.");
  const counts = { dialable_now: 0, waiting: 0, blocked: 0, done: 0 };
  const reasons = new Map<string, number>();
  const times = new Map<number, number>();

  for await (const facts of entriesOf(deps.database, organizationId, campaignId, at)) {
    if (!facts.here) continue;
    if (!isAsked(facts, terms)) {
      counts.done++;
      continue;
    }
    const { allowed, reason, next_allowed_at: next } = deps.decideCall(questionOf(terms, facts, at));
    if (allowed) {
      counts.dialable_now++;
      continue;
    }
    counts[next === null ? "blocked" : "waiting"]++;
    addTo(reasons, reason!);
    if (next !== null) addTo(times, Math.ceil(next / QUARTER_MS) * QUARTER_MS);
  }
  return {
    leads: counts.dialable_now + counts.waiting + counts.blocked + counts.done,
    ...counts,
    by_reason: [...reasons]
      .map(([reason, count]) => ({ reason, count }))
      .sort((one, two) => two.count - one.count || (one.reason < two.reason ? -1 : 1)),
    waiting_until: [...times]
      .sort(([one], [two]) => one - two)
      .map(([until, count]) => ({ until: timestamp(until), count })),
    previewed_at: timestamp(at),
  };
}

async function* entriesOf(
  database: Database,
  organizationId: string,
  campaignId: string,
  at: number,
): AsyncGenerator<EntryFacts> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await database.query<EntryFacts>({
      ...readEntries,
      values: [organizationId, campaignId, after, timestamp(at - DAY_MS), LEADS_PER_BATCH],
    });
    yield* rows;
    if (rows.length < LEADS_PER_BATCH) return;
    after = rows.reduce((last, { lead_id }) => (lead_id > last ? lead_id : last), after);
  }
}

/** Whether there is a question: a lead that is done with is told by its wish, or by a budget of attempts that is used up. */
function isAsked(facts: EntryFacts, { max_attempts }: DialTerms): boolean {
  if (facts.lead_status === "do_not_call") return true;
  if (!isOurs(facts.lead_status, facts.written_status)) return false;
  return facts.state !== "done" || (RETRIED.has(facts.lead_status) && facts.attempts >= max_attempts);
}

function addTo<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

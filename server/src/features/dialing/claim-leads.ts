import { type Transaction, timestamp } from "../../database/database.ts";
import type { StoredPace } from "./adapt-pace.ts";
import * as sql from "./claim-leads.sql.ts";
import type { ClaimedAttempt } from "./claimed-attempt.ts";
import { decideEntries } from "./decide-entries.ts";
import { lockDue } from "./dial-facts.sql.ts";
import { type EntryFacts, readTerms } from "./dial-facts.ts";
import type { ClaimDeps } from "./dialing-deps.ts";
import { freeLines, haltOf } from "./free-lines.ts";
import { takeStarts } from "./pacing/take-starts.ts";
import { pauseCampaign } from "./pause-dry.ts";

const DAY_MS = 86_400_000;
/** Looked at beyond those that are wanted: some will be refused. */
const SPARE = 16;
const MOST_LOOKED_AT = 512;
/** Where everybody is refused for one reason, so many a second are told. */
const MOST_WIDELY_REFUSED = 100;
const WIDELY_REFUSED_MS = 1_000;

export interface Claim {
  attempts: ClaimedAttempt[];
  /** Leads that were decided on. */
  looked: number;
  /** More is due, and there are lines left for it. */
  again: boolean;
  /** When a line comes free by the clock alone; milliseconds since the epoch. */
  nextAt: number | null;
}

interface Pacing extends StoredPace {
  bucket_tokens: number;
  bucket_at: number;
}

const NOTHING: Claim = { attempts: [], looked: 0, again: false, nextAt: null };

/**
 * Decides on the leads of a campaign that are due, oldest first, and claims as many as there are lines for. One transaction: the
 * campaign's capacity is held while it is counted and used. Every decision is stored; what isn't decided on stays as it was.
 * A campaign whose organization ran dry is paused.
 * @param input `workerId` names the dialer; `most` lines, where it can place no more
 */
export function claimLeads(
  deps: ClaimDeps,
  input: { organizationId: string; campaignId: string; workerId: string; most?: number },
): Promise<Claim> {
  return deps.database.transaction(async (transaction) => {
    const { organizationId, campaignId } = input;
    const now = deps.clock.now();
    const pacing = await holdPacing(transaction, organizationId, campaignId, now);
    const terms = pacing && (await readTerms(transaction, organizationId, campaignId));
    if (!pacing || terms?.status !== "active") return NOTHING;

    const halted = haltOf(terms);
    if (halted !== terms.halted_because)
      await transaction.query({ ...sql.setHalted, values: [organizationId, campaignId, halted] });
    if (terms.agent_id === null || !terms.has_template) return NOTHING;

    const bucket = { tokens: pacing.bucket_tokens, at: pacing.bucket_at };
    const rate = terms.calls_per_second;
    const { starts } = takeStarts(bucket, rate, Number.POSITIVE_INFINITY, now);
    // Who can't call anybody tells so of some leads, and takes no line.
    const free =
      halted === null ? await freeLines(transaction, input, terms, pacing, starts, now) : MOST_WIDELY_REFUSED;
    const lines = Math.min(free, input.most ?? free);

    const campaign = { organizationId, campaignId, workerId: input.workerId, terms };
    const attempts: ClaimedAttempt[] = [];
    let looked = 0;
    let more = lines > 0;
    let most = halted === null ? lines + SPARE : lines;
    let refusedForMoney = false;
    while (more && attempts.length < lines && looked < MOST_LOOKED_AT) {
      const wanted = Math.min(most, MOST_LOOKED_AT);
      const rows = await transaction.query<EntryFacts>({
        ...lockDue,
        values: [organizationId, campaignId, timestamp(now), timestamp(now - DAY_MS), wanted],
      });
      const wantedAttempts = lines - attempts.length;
      const decided = await decideEntries(deps, transaction, campaign, rows, wantedAttempts, now);
      attempts.push(...decided.attempts);
      looked += decided.looked;
      refusedForMoney ||= decided.refusedForMoney;
      more = rows.length === wanted;
      most = MOST_LOOKED_AT;
      if (halted !== null) break;
    }
    if (refusedForMoney) await pauseCampaign(deps, transaction, campaign);

    const taken = takeStarts(bucket, rate, attempts.length, now).bucket;
    if (rate !== null && attempts.length > 0) {
      const values = [organizationId, campaignId, taken.tokens, timestamp(taken.at)];
      await transaction.query({ ...sql.saveBucket, values });
    }
    const waitsForStart = rate !== null && taken.tokens < 1 && attempts.length === lines;
    return {
      attempts,
      looked,
      again: more && attempts.length < lines && halted === null,
      nextAt:
        halted !== null && more
          ? now + WIDELY_REFUSED_MS
          : waitsForStart
            ? now + Math.ceil(((1 - taken.tokens) / rate) * 1_000)
            : null,
    };
  });
}

async function holdPacing(
  transaction: Transaction,
  organizationId: string,
  campaignId: string,
  now: number,
): Promise<Pacing | null> {
  const values = [organizationId, campaignId];
  const [held] = await transaction.query<Pacing>({ ...sql.lockPacing, values });
  if (held) return held;
  await transaction.query({ ...sql.insertPacing, values: [...values, timestamp(now)] });
  const [made] = await transaction.query<Pacing>({ ...sql.lockPacing, values });
  return made ?? null;
}

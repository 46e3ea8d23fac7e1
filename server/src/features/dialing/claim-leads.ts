import { type Transaction, timestamp } from "../../database/database.ts";
import type { Verdict } from "../compliance/index.ts";
import * as sql from "./claim-leads.sql.ts";
import { lockDue } from "./dial-facts.sql.ts";
import { type DialTerms, type EntryFacts, isDry, questionOf, readTerms } from "./dial-facts.ts";
import type { ClaimDeps } from "./dialing-deps.ts";
import { afterRefusal, isOurs } from "./lead-states.ts";
import { linesToDial } from "./pacing/lines-to-dial.ts";
import { takeStarts } from "./pacing/take-starts.ts";
import { pauseDry } from "./pause-dry.ts";

/** How long a claimed lead is left to the one who claimed it. */
export const CLAIM_LEASE_MS = 30_000;

const DAY_MS = 86_400_000;
/** Looked at beyond those that are wanted: some will be refused. */
const SPARE = 16;
const MOST_LOOKED_AT = 512;
/** Where everybody is refused for one reason, so many a second are told. */
const MOST_WIDELY_REFUSED = 100;
const WIDELY_REFUSED_MS = 1_000;

/** A lead that is to be dialed by whoever claimed it, and by nobody else. */
export interface ClaimedAttempt {
  organizationId: string;
  campaignId: string;
  /** The attempt's id, and its call's. */
  id: string;
  leadId: string;
  phoneNumber: string;
  agentId: string;
  workerId: string;
}

export interface Claim {
  attempts: ClaimedAttempt[];
  /** Leads that were decided on. */
  looked: number;
  /** More is due, and there are lines left for it. */
  again: boolean;
  /** When a line comes free by the clock alone; milliseconds since the epoch. */
  nextAt: number | null;
}

interface Pacing {
  bucket_tokens: number;
  bucket_at: number;
  dial_level: number;
  adapted_at: number;
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
      halted === null ? await freeLines(transaction, input, terms, pacing, starts) : MOST_WIDELY_REFUSED;
    const lines = Math.min(free, input.most ?? free);

    const look = createLook(deps, transaction, input, terms, now);
    let more = lines > 0;
    let most = halted === null ? lines + SPARE : lines;
    while (more && look.attempts.length < lines && look.looked < MOST_LOOKED_AT) {
      const wanted = Math.min(most, MOST_LOOKED_AT);
      const rows = await transaction.query<EntryFacts>({
        ...lockDue,
        values: [organizationId, campaignId, timestamp(now), timestamp(now - DAY_MS), wanted],
      });
      await look.decide(rows, lines);
      more = rows.length === wanted;
      most = MOST_LOOKED_AT;
      if (halted !== null) break;
    }
    if (look.refusedForMoney) await pauseDry(deps, transaction, { organizationId, campaignId });
    const taken = takeStarts(bucket, rate, look.attempts.length, now).bucket;
    if (rate !== null && look.attempts.length > 0) {
      const values = [organizationId, campaignId, taken.tokens, timestamp(taken.at)];
      await transaction.query({ ...sql.saveBucket, values });
    }
    return {
      attempts: look.attempts,
      looked: look.looked,
      again: more && look.attempts.length < lines && halted === null,
      nextAt:
        halted !== null && more
          ? now + WIDELY_REFUSED_MS
          : rate !== null && taken.tokens < 1 && look.attempts.length === lines
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

/** In words, why nothing at all can be dialed; null when nothing is in the way. */
function haltOf(terms: DialTerms): string | null {
  if (terms.agent_id === null) return "The campaign has no agent.";
  if (!terms.has_template) return "The campaign's agent has no call template.";
  if (terms.organization_status !== "active") return "The organization is suspended.";
  if (terms.sandbox) return "A sandbox places no calls.";
  if (!terms.voice_enabled) return "The organization may not place calls.";
  if (!terms.has_caller_id) return "The organization has no phone number to call from.";
  if (isDry(terms)) return "The wallet doesn't have the first minute of a call.";
  return null;
}

async function freeLines(
  transaction: Transaction,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
  terms: DialTerms,
  pacing: Pacing,
  starts: number,
): Promise<number> {
  const [lines] = await transaction.query<{
    organization_live: number;
    undialed: number;
    pending: number;
    talking: number;
    others: number;
  }>({ ...sql.countLines, values: [organizationId, campaignId] });
  const { organization_live, undialed, pending, talking, others } = lines!;
  const price = terms.phone_rate_per_minute;
  return linesToDial({
    mode: terms.dialer_mode ?? "ai",
    concurrency: Math.min(terms.concurrency ?? terms.concurrency_limit, terms.concurrency_limit),
    linesPerSeat: terms.lines_per_seat,
    pace: { level: pacing.dial_level, ahead: 0 },
    lines: { pending, talking, others },
    abandonment: { answered: 0, abandoned: 0 },
    room: {
      organization: terms.concurrency_limit - organization_live - undialed,
      channels: Number.POSITIVE_INFINITY,
      starts,
      holds:
        price === 0 ? Number.POSITIVE_INFINITY : Math.floor((terms.balance - terms.held) / price) - undialed,
    },
  });
}

/** Decides on entries that the transaction has locked, and stores what was decided. */
function createLook(
  deps: ClaimDeps,
  transaction: Transaction,
  { organizationId, campaignId, workerId }: { organizationId: string; campaignId: string; workerId: string },
  terms: DialTerms,
  now: number,
) {
  const attempts: ClaimedAttempt[] = [];
  const result = { attempts, looked: 0, refusedForMoney: false };

  const decide = async (rows: readonly EntryFacts[], lines: number): Promise<number> => {
    const allowed = new Map<string, { facts: EntryFacts; verdict: Verdict; verdictId: string }>();
    const numbers = new Set<string>();
    const moves: object[] = [];
    const verdicts: object[] = [];
    let decided = 0;

    const refuse = (facts: EntryFacts, verdict: Verdict) => {
      const { state, nextAt } = afterRefusal(verdict, now);
      if (verdict.reason === "insufficient_balance") result.refusedForMoney = true;
      if (verdict.reason !== facts.verdict_reason || verdict.rule_id !== facts.verdict_rule)
        verdicts.push(verdictRow(verdict, deps.newId(), facts.lead_id, null));
      // The time of a retry has come: what it waits for now is something else. A callback is remembered as one.
      const due = facts.due === "callback" ? "callback" : null;
      moves.push(moveRow(facts.lead_id, state, nextAt, due, verdict));
    };

    for (const facts of rows) {
      if (attempts.length + allowed.size >= lines) break;
      decided += 1;
      if (
        !facts.here ||
        !(isOurs(facts.lead_status, facts.written_status) || facts.lead_status === "do_not_call")
      ) {
        moves.push({
          ...{ lead_id: facts.lead_id, state: facts.here ? "done" : "left", next_at: null, due: null },
          ...{ verdict_reason: facts.verdict_reason, verdict_rule: facts.verdict_rule },
        });
        continue;
      }
      const question = questionOf(terms, facts, now);
      const verdict = deps.decideCall(question);
      if (!verdict.allowed) {
        refuse(facts, verdict);
      } else if (numbers.has(facts.phone_number)) {
        refuse(facts, deps.decideCall({ ...question, state: { ...question.state, inFlight: true } }));
      } else {
        numbers.add(facts.phone_number);
        allowed.set(deps.newId(), { facts, verdict, verdictId: deps.newId() });
      }
    }

    const inserted = await insertAttempts(allowed);
    for (const [id, { facts, verdict, verdictId }] of allowed) {
      if (!inserted.has(id)) {
        const question = questionOf(terms, { ...facts, in_flight: true }, now);
        refuse(facts, deps.decideCall(question));
        continue;
      }
      verdicts.push(verdictRow(verdict, verdictId, facts.lead_id, id));
      moves.push(moveRow(facts.lead_id, "dialing", null, facts.due, verdict));
      attempts.push({
        organizationId,
        campaignId,
        id,
        leadId: facts.lead_id,
        phoneNumber: facts.phone_number,
        agentId: terms.agent_id!,
        workerId,
      });
    }
    if (verdicts.length > 0) {
      const values = [organizationId, campaignId, timestamp(now), JSON.stringify(verdicts)];
      await transaction.query({ ...sql.insertVerdicts, values });
    }
    if (moves.length > 0)
      await transaction.query({
        ...sql.moveEntries,
        values: [organizationId, campaignId, JSON.stringify(moves)],
      });
    result.looked += decided;
    return decided;
  };

  const insertAttempts = async (
    allowed: ReadonlyMap<string, { facts: EntryFacts; verdictId: string }>,
  ): Promise<ReadonlySet<string>> => {
    if (allowed.size === 0) return new Set();
    const rows = [...allowed].map(([id, { facts, verdictId }]) => ({
      id,
      lead_id: facts.lead_id,
      phone_number: facts.phone_number,
      number: facts.attempts + 1,
      verdict_id: verdictId,
    }));
    const inserted = await transaction.query<{ id: string }>({
      ...sql.insertAttempts,
      values: [
        organizationId,
        campaignId,
        workerId,
        timestamp(now + CLAIM_LEASE_MS),
        timestamp(now),
        JSON.stringify(rows),
      ],
    });
    return new Set(inserted.map(({ id }) => id));
  };

  return Object.assign(result, { decide });
}

function verdictRow(verdict: Verdict, id: string, leadId: string, callId: string | null): object {
  const { next_allowed_at, ...rest } = verdict;
  return {
    ...rest,
    ...{ id, lead_id: leadId, call_id: callId },
    next_allowed_at: next_allowed_at === null ? null : timestamp(next_allowed_at),
  };
}

function moveRow(
  leadId: string,
  state: string,
  nextAt: number | null,
  due: string | null,
  verdict: Verdict,
): object {
  return {
    lead_id: leadId,
    state,
    next_at: nextAt === null ? null : timestamp(nextAt),
    due,
    verdict_reason: verdict.reason,
    verdict_rule: verdict.rule_id,
  };
}

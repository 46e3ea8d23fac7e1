import { type Transaction, timestamp } from "../../database/database.ts";
import type { Verdict } from "../compliance/index.ts";
import * as sql from "./claim-leads.sql.ts";
import { CLAIM_LEASE_MS, type ClaimedAttempt } from "./claimed-attempt.ts";
import { type DialTerms, type EntryFacts, questionOf } from "./dial-facts.ts";
import type { ClaimDeps } from "./dialing-deps.ts";
import { afterRefusal, isOurs } from "./lead-states.ts";

export interface Decided {
  attempts: ClaimedAttempt[];
  /** How many entries were decided on. */
  looked: number;
  refusedForMoney: boolean;
}

interface Allowed {
  id: string;
  facts: EntryFacts;
  verdict: Verdict;
  verdictId: string;
}

/**
 * Decides on entries that the transaction has locked, one after the other until so many are claimed, and stores what was decided:
 * an attempt for each that is allowed, a verdict for each attempt and for each answer that is another than the last time, and where
 * each lead stands now.
 */
export async function decideEntries(
  deps: Pick<ClaimDeps, "decideCall" | "newId">,
  transaction: Transaction,
  campaign: { organizationId: string; campaignId: string; workerId: string; terms: DialTerms },
  rows: readonly EntryFacts[],
  most: number,
  now: number,
): Promise<Decided> {
  const { organizationId, campaignId, workerId, terms } = campaign;
  const allowed: Allowed[] = [];
  const moves: object[] = [];
  const verdicts: object[] = [];
  let looked = 0;
  let refusedForMoney = false;

  const refuse = (facts: EntryFacts, verdict: Verdict) => {
    const { state, nextAt } = afterRefusal(verdict, now);
    if (verdict.reason === "insufficient_balance") refusedForMoney = true;
    if (verdict.reason !== facts.verdict_reason || verdict.rule_id !== facts.verdict_rule)
      verdicts.push(verdictRow(verdict, deps.newId(), facts.lead_id, null));
    // The time of a retry has come: what it waits for now is something else. A callback is remembered as one.
    const due = facts.due === "callback" ? "callback" : null;
    moves.push(moveRow(facts.lead_id, state, nextAt, due, verdict));
  };

  for (const facts of rows) {
    if (allowed.length === most) break;
    looked += 1;
    if (!isWanted(facts)) {
      moves.push({
        ...{ lead_id: facts.lead_id, state: facts.here ? "done" : "left", next_at: null, due: null },
        ...{ verdict_reason: facts.verdict_reason, verdict_rule: facts.verdict_rule },
      });
      continue;
    }
    const verdict = deps.decideCall(questionOf(terms, facts, now));
    if (verdict.allowed) allowed.push({ id: deps.newId(), facts, verdict, verdictId: deps.newId() });
    else refuse(facts, verdict);
  }

  const claimed = await insertAttempts(transaction, campaign, allowed, now);
  const attempts: ClaimedAttempt[] = [];
  for (const { id, facts, verdict, verdictId } of allowed) {
    const { lead_id: leadId, phone_number: phoneNumber } = facts;
    if (!claimed.has(id)) {
      // Another campaign has claimed the number since it was looked at.
      refuse(facts, deps.decideCall(questionOf(terms, { ...facts, in_flight: true }, now)));
      continue;
    }
    verdicts.push(verdictRow(verdict, verdictId, leadId, id));
    moves.push(moveRow(leadId, "dialing", null, facts.due, verdict));
    const agentId = terms.agent_id!;
    const question = questionOf(terms, facts, now);
    const isAllowedAt = (at: number) => deps.decideCall({ ...question, at }).allowed;
    attempts.push({ organizationId, campaignId, id, leadId, phoneNumber, agentId, workerId, isAllowedAt });
  }
  if (verdicts.length > 0) {
    const values = [organizationId, campaignId, timestamp(now), JSON.stringify(verdicts)];
    await transaction.query({ ...sql.insertVerdicts, values });
  }
  if (moves.length > 0) {
    const values = [organizationId, campaignId, JSON.stringify(moves)];
    await transaction.query({ ...sql.moveEntries, values });
  }
  return { attempts, looked, refusedForMoney };
}

/** The lead is in the campaign, and nobody has given it a status; one that opted out gets the verdict that says so. */
function isWanted({ here, lead_status, written_status }: EntryFacts): boolean {
  return here && (isOurs(lead_status, written_status) || lead_status === "do_not_call");
}

/** @returns the ids of those whose numbers nobody is calling */
async function insertAttempts(
  transaction: Transaction,
  { organizationId, campaignId, workerId }: { organizationId: string; campaignId: string; workerId: string },
  allowed: readonly Allowed[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (allowed.length === 0) return new Set();
  const rows = allowed.map(({ id, facts, verdictId }) => ({
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

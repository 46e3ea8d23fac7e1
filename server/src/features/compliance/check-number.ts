import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { CallQuestion, Verdict } from "./call-question.ts";
import type { ComplianceCheck } from "./compliance.schema.ts";
import * as sql from "./compliance.sql.ts";

const DAY_MS = 86_400_000;

interface NumberState {
  on_dnc: boolean;
  opted_out: boolean;
  in_flight: boolean;
  recent_attempts: number[];
}

/**
 * Whether an AI campaign of the organization might call a number: by the list, the lead's status, the calls of the last 24
 * hours and the organization's cap on them, and the hours where it is. Not whether the organization can: its wallet, its numbers
 * and its voice aren't looked at.
 * @param input `phoneNumber` in any format, `at` in milliseconds since the epoch, now when left out
 * @throws DomainError invalid_phone_number, organization_not_found
 */
export async function checkNumber(
  deps: { database: Database; clock: Clock; decideCall(question: CallQuestion): Verdict },
  input: { organizationId: string; phoneNumber: string; at?: number | undefined },
): Promise<ComplianceCheck> {
  const number = canonicalNumber(input.phoneNumber);
  const { id, daily_attempt_cap } = await readOrganization(deps, input.organizationId);
  const at = input.at ?? deps.clock.now();
  const [known] = await deps.database.query<NumberState>({
    ...sql.readNumberState,
    // No call is older than the epoch, and years below 1 aren't the database's.
    values: [id, number, timestamp(Math.max(0, at - DAY_MS)), timestamp(Math.max(0, at))],
  });
  const { on_dnc, opted_out, in_flight, recent_attempts } = known!;
  const verdict = deps.decideCall({
    at,
    number,
    lead: { timezone: null, state: null, consented: false },
    campaign: {
      ...{ automated: true, start: null, end: null, days: null },
      ...{ requireConsent: false, attempts: 0, maxAttempts: 1 },
    },
    state: {
      ...{ onDnc: on_dnc, optedOut: opted_out, inFlight: in_flight, recentAttempts: recent_attempts },
      ...{ voiceSuspended: false, hasCallerId: true, canAfford: true },
      ...{ inFlightUntil: null, retryAt: null, dailyCap: daily_attempt_cap },
    },
  });
  return {
    phone_number: number,
    ...verdict,
    zones: [...verdict.zones],
    states: [...verdict.states],
    decided_at: new Date(at).toISOString(),
    next_allowed_at:
      verdict.next_allowed_at === null ? null : new Date(verdict.next_allowed_at).toISOString(),
  };
}

import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { ToolResult } from "../../voice/engines/engine.ts";
import type { ScheduleCallbackArguments } from "../../voice/engines/tool-definitions.ts";
import { spokenTime } from "../../wall-clock.ts";
import { callbackTime } from "./callback-time.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { clockOfPerson } from "./clock-of-person.ts";
import type { OpenedCall } from "./open-call.ts";
import { personOf } from "./person-of-call.ts";

const LONGEST_MS = 30 * 86_400_000;

/**
 * Keeps with the call when the person wants to be called again, at most 30 days ahead. A later wish in the same call takes the
 * place of an earlier one. The campaign that called calls again then, within the hours that are allowed.
 * @throws DomainError what the engine should tell the person
 */
export async function scheduleCallback(
  deps: Pick<CallsDeps, "database" | "clock">,
  call: OpenedCall,
  { callback_at: text }: ScheduleCallbackArguments,
): Promise<ToolResult> {
  const person = await personOf(deps.database, call);
  if (person.phoneNumber === null)
    throw new DomainError("invalid_request", "No phone number is known of this person to call back.");
  const clock = clockOfPerson(call, person.phoneNumber);
  const now = deps.clock.now();
  const at = callbackTime(text, now, clock);
  if (at === null)
    throw new DomainError("invalid_request", "callback_at names no time. Ask them for a day and a time.");
  if (at <= now) throw new DomainError("invalid_request", "That time is in the past.");
  if (at > now + LONGEST_MS)
    throw new DomainError("invalid_request", "A call back can be at most 30 days ahead.");
  const kept = await deps.database.query({
    ...sql.setCallback,
    values: [call.organizationId, call.callId, timestamp(at)],
  });
  if (kept.length === 0) throw new DomainError("invalid_request", "The call is over.");
  return {
    ok: true,
    result: {
      callback_at: timestamp(at),
      timezone: clock.timezone,
      local_time: spokenTime(clock.at(at)),
    },
  };
}

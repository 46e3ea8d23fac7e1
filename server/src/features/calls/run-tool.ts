import { DomainError } from "../../domain-error.ts";
import type { DomainTool, ToolResult } from "../../voice/engines/engine.ts";
import type {
  BookAppointmentArguments,
  OptOutArguments,
  ScheduleCallbackArguments,
} from "../../voice/engines/tool-definitions.ts";
import { recordOptOut } from "../opt-outs/index.ts";
import { bookInCall } from "./book-in-call.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import type { OpenedCall } from "./open-call.ts";
import { personOf } from "./person-of-call.ts";
import { scheduleCallback } from "./schedule-callback.ts";

/** Runs a tool of the domain for a call. What is refused is told to the engine in words; nothing is thrown for it. */
export async function runTool(
  deps: CallsDeps,
  call: OpenedCall,
  name: DomainTool,
  args: unknown,
): Promise<ToolResult> {
  try {
    if (name === "book_appointment") return await bookInCall(deps, call, args as BookAppointmentArguments);
    if (name === "schedule_callback")
      return await scheduleCallback(deps, call, args as ScheduleCallbackArguments);
    return await optOut(deps, call, args as OptOutArguments);
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, error: error.message };
    throw error;
  }
}

async function optOut(deps: CallsDeps, call: OpenedCall, { evidence }: OptOutArguments): Promise<ToolResult> {
  const { organizationId, callId } = call;
  return deps.database.transaction(async (transaction) => {
    const person = await personOf(transaction, call);
    if (person.phoneNumber === null) {
      return {
        ok: false,
        error: "No phone number is known of this person, so there is none to put on the list.",
      };
    }
    await recordOptOut(deps, transaction, {
      organizationId,
      phoneNumber: person.phoneNumber,
      leadId: person.leadId,
      source: "call",
      sourceId: callId,
      evidence,
    });
    await transaction.query({ ...sql.clearCallback, values: [organizationId, callId] });
    return { ok: true, result: { recorded: true } };
  });
}

import type { ToolResult } from "../../voice/engines/engine.ts";
import type { BookAppointmentArguments } from "../../voice/engines/tool-definitions.ts";
import type { CallsDeps } from "./calls-deps.ts";
import type { OpenedCall } from "./open-call.ts";

/** Books what the person on the line has agreed to, on their own clock. */
export async function bookInCall(
  _deps: CallsDeps,
  _call: OpenedCall,
  _args: BookAppointmentArguments,
): Promise<ToolResult> {
  return { ok: false, error: "Appointments can't be booked yet." };
}

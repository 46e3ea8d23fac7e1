import type { ToolDefinition } from "../../voice/engines/engine.ts";
import { toolDefinitions } from "../../voice/engines/tool-definitions.ts";
import type { CallSetup } from "../../voice/session/ports.ts";
import {
  type CallTemplate,
  fillPlaceholders,
  type LeadValues,
  placeholderValues,
  type Scalar,
} from "../agents/index.ts";

const RECORDING_ANNOUNCEMENT = "This call is recorded.";

/** The simulated number of the same area code at which a human answers. */
const SIMULATED_HUMAN = "5550100";

/**
 * Where a transfer of the call dials to. A call of the simulated carrier always finds somebody.
 * @param toNumber E.164; null for browser calls
 * @returns null when there is nobody to transfer to
 */
export function transferNumber(
  template: CallTemplate,
  carrier: string | null,
  toNumber: string | null,
): string | null {
  if (template.transfer_number !== null) return template.transfer_number;
  const areaCode = /^\+1(\d{3})\d{7}$/.exec(toNumber ?? "")?.[1];
  return carrier === "simulated" && areaCode !== undefined ? `+1${areaCode}${SIMULATED_HUMAN}` : null;
}

/** What a session runs a call by: the template with its placeholders filled in, and no more tools than it grants. */
export function callSetup(call: {
  organizationId: string;
  callId: string;
  medium: "phone" | "browser";
  carrier: string | null;
  toNumber: string | null;
  template: CallTemplate;
  templateContext: Readonly<Record<string, Scalar>>;
  lead: (LeadValues & { id: string }) | null;
  agentName: string | null;
}): CallSetup {
  const { template } = call;
  const values = placeholderValues(call.lead, call.templateContext);
  const hasHuman = transferNumber(template, call.carrier, call.toNumber) !== null;
  const tools: ToolDefinition[] = template.tools
    .filter((name) => name !== "transfer_to_human" || hasHuman)
    .map((name) => toolDefinitions[name]);
  const voicemail = fillPlaceholders(template.voicemail_message, values).trim();
  return {
    organizationId: call.organizationId,
    callId: call.callId,
    medium: call.medium,
    instructions: fillPlaceholders(template.system_prompt, values),
    greeting: fillPlaceholders(template.greeting, values),
    firstSpeaker: template.first_speaker,
    voice: template.voice,
    temperature: template.temperature,
    maxDurationSeconds: template.max_duration_seconds,
    recording: template.recording_enabled,
    recordingAnnouncement: template.recording_announcement ? RECORDING_ANNOUNCEMENT : null,
    voicemailMessage: voicemail === "" ? null : voicemail,
    tools,
    context: values,
    briefing: `${personOf(call.lead)} asked for a human in a call${call.agentName === null ? "" : ` with ${call.agentName}`}.`,
  };
}

function personOf(lead: LeadValues | null): string {
  const name = [lead?.first_name, lead?.last_name]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(" ");
  return name || "The caller";
}

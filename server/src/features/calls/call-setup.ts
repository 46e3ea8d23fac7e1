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

/** Instructs nobody to do anything, and sells nothing: who called, where to call back, and how to never be called again. */
const ABANDONED_MESSAGE =
  "Sorry, {{organization_name}} called you, and nobody is free to talk right now. You can call us back at {{callback_number}}. " +
  "If you don't want to be called again, press 9. Goodbye.";

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
  /** Of a campaign whose people need a seat: what the message to those who find none is made of. Else null. */
  seats: { organizationName: string; fromNumber: string } | null;
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
    abandonedMessage: call.seats === null ? null : abandonedMessage(template, values, call.seats),
    tools,
    context: values,
    briefing: `${personOf(call.lead)} asked for a human in a call${call.agentName === null ? "" : ` with ${call.agentName}`}.`,
  };
}

function abandonedMessage(
  template: CallTemplate,
  values: Readonly<Record<string, Scalar>>,
  { organizationName, fromNumber }: { organizationName: string; fromNumber: string },
): string {
  const all = { ...values, organization_name: organizationName, callback_number: digitByDigit(fromNumber) };
  return (
    fillPlaceholders(template.abandoned_message ?? "", all).trim() || fillPlaceholders(ABANDONED_MESSAGE, all)
  );
}

/** As a number is read out: a national one without its country code, with pauses between its groups. */
function digitByDigit(e164: string): string {
  const digits = e164.replace(/^\+1(?=\d{10}$)/, "").replace(/\D/g, "");
  const groups = digits.length === 10 ? [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)] : [digits];
  return groups.map((group) => [...group].join(" ")).join(", ");
}

function personOf(lead: LeadValues | null): string {
  const name = [lead?.first_name, lead?.last_name]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(" ");
  return name || "The caller";
}

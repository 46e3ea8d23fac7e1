import { TOOL_NAMES, type ToolName } from "../../voice/engines/engine.ts";
import { canonicalPhoneNumber } from "../leads/index.ts";
import {
  type CallTemplate,
  type CallTemplateInput,
  type CallTemplatePatch,
  templateDefaults,
} from "./call-template.schema.ts";

/** An agent can always end a call, and always takes an opt-out. */
const ALWAYS_GRANTED: readonly ToolName[] = ["end_call", "record_opt_out"];

/**
 * The whole template: what was sent, and the default of everything that wasn't. Takes the template's fields out of a
 * larger body too, such as that of `POST /calls`. The fields have been validated by their schema.
 */
export function resolveCallTemplate(sent: CallTemplateInput): CallTemplate {
  return mergeCallTemplate({ ...templateDefaults, system_prompt: sent.system_prompt }, sent);
}

/** The stored template with the fields sent laid over it, key by key. */
export function mergeCallTemplate(stored: CallTemplate, sent: CallTemplatePatch): CallTemplate {
  const abandonedMessage = sent.abandoned_message ?? stored.abandoned_message;
  const granted = new Set([...(sent.tools ?? stored.tools), ...ALWAYS_GRANTED]);
  return {
    system_prompt: sent.system_prompt ?? stored.system_prompt,
    voice: sent.voice ?? stored.voice,
    temperature: sent.temperature ?? stored.temperature,
    first_speaker: sent.first_speaker ?? stored.first_speaker,
    recording_enabled: sent.recording_enabled ?? stored.recording_enabled,
    greeting: sent.greeting ?? stored.greeting,
    max_duration_seconds: sent.max_duration_seconds ?? stored.max_duration_seconds,
    voicemail_message: sent.voicemail_message ?? stored.voicemail_message,
    recording_announcement: sent.recording_announcement ?? stored.recording_announcement,
    tools: TOOL_NAMES.filter((tool) => granted.has(tool)),
    transfer_number: transferNumber(stored, sent),
    ...(abandonedMessage ? { abandoned_message: abandonedMessage } : {}),
  };
}

function transferNumber(stored: CallTemplate, { transfer_number: sent }: CallTemplatePatch): string | null {
  if (sent === undefined) return stored.transfer_number;
  return sent === null ? null : canonicalPhoneNumber(sent);
}

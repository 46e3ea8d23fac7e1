import { type Static, Type } from "typebox";
import { nullable, oneOf } from "../../http/schema.ts";
import { TOOL_NAMES } from "../../voice/engines/engine.ts";
import { DEFAULT_VOICE, type VoiceId, voiceCatalog } from "../../voice/speech/catalog.ts";

const voiceIds = voiceCatalog.map((voice) => voice.id) as [VoiceId, ...VoiceId[]];

const fields = {
  system_prompt: Type.String({
    maxLength: 32_000,
    pattern: "\\S",
    description: "what the agent is and does, 1 to 32,000 characters; `{{name}}` stands for a value",
    "x-error": {
      default: "system_prompt_required",
      type: "system_prompt_must_be_string",
      maxLength: "system_prompt_too_long",
    },
  }),
  voice: oneOf(voiceIds, {
    description: `an id of the voice catalog; default ${DEFAULT_VOICE}`,
    "x-error": "unknown_voice",
  }),
  temperature: Type.Number({
    minimum: 0,
    maximum: 2,
    description: "a number from 0 to 2; default 0.7",
    "x-error": "temperature_out_of_range",
  }),
  first_speaker: oneOf(["agent", "user"], {
    description: "who speaks first; default agent",
    "x-error": "invalid_first_speaker",
  }),
  recording_enabled: Type.Boolean({
    description: "whether the call is recorded; default false",
    "x-error": "recording_enabled_must_be_boolean",
  }),
  greeting: Type.String({
    maxLength: 1_000,
    description: "what the agent says first, up to 1,000 characters; empty: the agent finds words of its own",
    "x-error": { default: "greeting_must_be_string", maxLength: "greeting_too_long" },
  }),
  max_duration_seconds: Type.Integer({
    minimum: 60,
    maximum: 7_200,
    description: "whole seconds, 60 to 7,200; default 1,800",
    "x-error": "max_duration_out_of_range",
  }),
  voicemail_message: Type.String({
    maxLength: 1_000,
    description:
      "left after the beep of an answering machine, up to 1,000 characters; empty: it is hung up on",
  }),
  recording_announcement: Type.Boolean({
    description: "whether a recorded call begins by saying that it is recorded; default true",
  }),
  tools: Type.Array(oneOf(TOOL_NAMES), {
    maxItems: 20,
    description:
      "what the agent may do besides talking; `end_call` and `record_opt_out` are always among them; default all",
  }),
  transfer_number: nullable(
    Type.String({
      format: "phone-number",
      description: "where `transfer_to_human` calls: a phone number of 10 to 15 digits, kept as E.164",
    }),
  ),
};

/** There only where it was sent: what is said without it names the organization, which no default of a template can. */
const abandoned_message = Type.Optional(
  Type.String({
    maxLength: 500,
    description:
      "said to a person who answers a campaign's call while every seat is taken, up to 500 characters; `{{callback_number}}` stands for the number that called; empty: a sentence with the organization's name and that number",
  }),
);

/** The template a call runs by: whole, every default filled in. Placeholders are still in their places. */
export const CallTemplate = Type.Object({ ...fields, abandoned_message }, { "x-name": "CallTemplate" });
export type CallTemplate = Static<typeof CallTemplate>;

/** What each field is when it isn't sent. There is none for the system prompt. */
export const templateDefaults: Readonly<Omit<CallTemplate, "system_prompt">> = {
  voice: DEFAULT_VOICE,
  temperature: 0.7,
  first_speaker: "agent",
  recording_enabled: false,
  greeting: "",
  max_duration_seconds: 1_800,
  voicemail_message: "",
  recording_announcement: true,
  tools: [...TOOL_NAMES],
  transfer_number: null,
};

const allOptional = { ...Type.Partial(Type.Object(fields)).properties, abandoned_message };

/**
 * The fields of a template as a request sends them, each with its own error codes. They stand in an agent's
 * `call_template`, and flat in the body of `POST /calls`: `Type.Object({ medium, …, ...callTemplateFields }, …)`.
 */
export const callTemplateFields = { ...allOptional, system_prompt: fields.system_prompt };

const OPTIONS = {
  additionalProperties: false,
  "x-error": "call_template_must_be_object",
  "x-unknown-error": "unknown_template_field",
};

/** An agent's `call_template` as it is created. */
export const CallTemplateInput = Type.Object(callTemplateFields, {
  ...OPTIONS,
  "x-name": "CallTemplateInput",
});
export type CallTemplateInput = Static<typeof CallTemplateInput>;

/** An agent's `call_template` as it is changed: what isn't sent stays. */
export const CallTemplatePatch = Type.Object(allOptional, { ...OPTIONS, "x-name": "CallTemplatePatch" });
export type CallTemplatePatch = Static<typeof CallTemplatePatch>;

import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { TURN_ROLES, TURN_SOURCES } from "../../voice/transcript.ts";
import { CallTemplate, callTemplateFields, Metadata, TemplateContext } from "../agents/index.ts";
import { WalletEntry } from "../billing/index.ts";
import { VerdictOrNull } from "../compliance/index.ts";

const summaryFields = {
  id: Uuid,
  call_sid: nullable(
    Type.String({ description: "The carrier's id of the call; `web_<id>` for browser calls" }),
  ),
  lead_id: nullable(Uuid),
  campaign_id: nullable(Uuid),
  agent_id: nullable(Uuid),
  medium: oneOf(["phone", "browser"]),
  direction: oneOf(["phone", "web"]),
  to_number: nullable(Type.String({ description: "E.164" })),
  from_number: nullable(Type.String({ description: "E.164" })),
  status: Type.String({
    description:
      "Open set: `initiating`, `initiated`, `in-progress`, then one of `completed`, `failed`, `busy`, `no-answer`, `canceled`, `voicemail`",
  }),
  call_outcome: nullable(
    Type.String({
      description:
        "Open set, written at the end: `completed`, `voicemail`, `no_answer`, `busy`, `failed`, `congestion`, `appointment_set`, …",
    }),
  ),
  disposition: nullable(Type.String()),
  duration: nullable(Type.Integer({ description: "Started seconds from the answer to the end" })),
  duration_seconds: nullable(Type.Integer({ description: "The same as `duration`" })),
  created_at: Instant,
  ended_at: nullable(Instant),
  recording_url: nullable(
    Type.String({
      format: "uri",
      description: "Where the recording is fetched, with an API key; null when there is none",
    }),
  ),
};

export const CallSummary = Type.Object(summaryFields, { "x-name": "CallSummary" });
export type CallSummary = Static<typeof CallSummary>;

export const CallPage = pageOf(CallSummary);

const AnyValues = Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
});

const IceServer = Type.Object({
  urls: Type.Unsafe<string | readonly string[]>({ type: ["string", "array"], items: { type: "string" } }),
  username: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
});

const BrowserSession = Type.Object(
  {
    access_token: Type.String({ description: "The Bearer token of `connect_url`. Shown this once" }),
    expires_at: Type.String({ format: "date-time", description: "60 s from now. Good for one connection" }),
    connect_url: Type.String({ format: "uri", description: "Where the browser sends its offer" }),
    ice_servers: Type.Array(IceServer, { description: "For RTCPeerConnection" }),
  },
  { "x-name": "BrowserSession" },
);
export type BrowserSession = Static<typeof BrowserSession>;

export const CreatedCall = Type.Object(
  {
    ...summaryFields,
    metadata: AnyValues,
    browser_session: Type.Optional(BrowserSession),
  },
  { "x-name": "CreatedCall" },
);
export type CreatedCall = Static<typeof CreatedCall>;

const Transition = Type.Object({ status: Type.String(), at: Instant });

const Transfer = Type.Object({
  id: Uuid,
  to_number: Type.String(),
  mode: Type.String(),
  outcome: nullable(Type.String({ description: "`success` or `failed`; null while it is tried" })),
  created_at: Instant,
  finished_at: nullable(Instant),
});

const fullFields = {
  ...summaryFields,
  metadata: AnyValues,
  origin: oneOf(["api", "app", "campaign", "inbound"]),
  carrier: nullable(Type.String({ description: "`simulated`, `sip`, …; null for browser calls" })),
  answered_by: nullable(Type.String({ description: "`human`, `machine` or `unknown`" })),
  end_reason: nullable(Type.String({ description: "Why it ended, in words" })),
  call_template: CallTemplate,
  template_context: AnyValues,
  rate_per_minute: Type.Integer({ description: "Tokens" }),
  cost_tokens: nullable(Type.Integer({ description: "What it cost; null until it has ended" })),
  summary: nullable(Type.String()),
  transcript_status: oneOf(["pending", "ready", "unavailable"]),
  recording_bytes: nullable(Type.Integer()),
  callback_at: nullable(
    Type.String({ format: "date-time", description: "When the person wants to be called again" }),
  ),
  initiated_at: nullable(Instant),
  answered_at: nullable(Instant),
  transitions: Type.Array(Transition, { description: "Every status with its time, in order" }),
  transfers: Type.Array(Transfer),
};

export const Call = Type.Object(fullFields, { "x-name": "Call" });
export type Call = Static<typeof Call>;

const Turn = Type.Object({
  role: oneOf(TURN_ROLES),
  source: oneOf(TURN_SOURCES, { description: "Where the words come from" }),
  text: Type.String(),
  start_ms: Type.Integer({ description: "Milliseconds from the answer" }),
  end_ms: Type.Integer(),
});

export const Transcript = Type.Object(
  {
    call_id: Uuid,
    status: oneOf(["ready", "pending", "unavailable"]),
    turns: Type.Array(Turn),
    text: nullable(Type.String({ description: "The turns as lines of text" })),
    summary: nullable(Type.String()),
  },
  { "x-name": "CallTranscript" },
);
export type Transcript = Static<typeof Transcript>;

/** The mediums as a request may name them. */
const MEDIUMS = ["phone", "browser", "web"] as const;

const startFields = {
  medium: oneOf(MEDIUMS, {
    description: "`phone` or `browser` (`web` is taken as `browser`)",
    "x-error": "invalid_medium",
    "x-error-required": "medium_required",
  }),
  to_number: Type.Optional(
    Type.String({
      format: "phone-number",
      description:
        "whom a phone call is to: 10 to 15 digits in any format; required unless lead_id names a lead",
      "x-error": "invalid_to_number",
    }),
  ),
  from_number: Type.Optional(
    Type.String({
      format: "phone-number",
      description: "one of the organization's numbers; one is picked when it isn't sent",
      "x-error": "invalid_from_number",
    }),
  ),
  lead_id: Type.Optional(nullable(Uuid)),
};

const extraFields = {
  template_context: Type.Optional(TemplateContext),
  metadata: Type.Optional(Metadata),
};

export const CallCreate = Type.Object(
  { ...startFields, ...callTemplateFields, ...extraFields },
  { additionalProperties: false, "x-name": "CallCreate" },
);
export type CallCreate = Static<typeof CallCreate>;

export const AgentCallCreate = Type.Object(
  { ...startFields, ...extraFields },
  { additionalProperties: false, "x-name": "AgentCallCreate" },
);
export type AgentCallCreate = Static<typeof AgentCallCreate>;

const instant = (description: string) => Type.Optional(Type.String({ format: "iso-instant", description }));

const agentCallFilters = {
  ...pageQuery,
  status: Type.Optional(Type.String()),
  campaign_id: Type.Optional(Uuid),
  lead_id: Type.Optional(Uuid),
  medium: Type.Optional(oneOf(MEDIUMS, { "x-error": "invalid_medium" })),
  created_after: instant("only calls created later than this ISO 8601 date or date-time"),
  created_before: instant("only calls created earlier than this ISO 8601 date or date-time"),
};

export const AgentCallListQuery = Type.Object(agentCallFilters);
export const CallListQuery = Type.Object({ ...agentCallFilters, agent_id: Type.Optional(Uuid) });
export type CallListQuery = Static<typeof CallListQuery>;

export const Offer = Type.Object(
  {
    sdp: Type.String({ minLength: 1, maxLength: 65_536, description: "the browser's offer" }),
    type: Type.Unsafe<"offer">({ type: "string", const: "offer" }),
  },
  { additionalProperties: false, "x-name": "BrowserOffer" },
);

export const OfferAnswer = Type.Object(
  { sdp: Type.String(), type: Type.Unsafe<"answer">({ type: "string", const: "answer" }) },
  { "x-name": "BrowserAnswer" },
);

/** Of the private API. */
export const OperatorCallListQuery = Type.Object({
  ...CallListQuery.properties,
  live: Type.Optional(Type.Boolean({ description: "only calls that haven't ended" })),
});

/** Of the private API: everything there is of a call. */
export const CallDetails = Type.Object(
  {
    ...fullFields,
    transfers: Type.Array(
      Type.Object({
        ...Transfer.properties,
        briefing: Type.String({ description: "What the human heard before being joined" }),
      }),
    ),
    turns: Type.Array(Turn),
    ledger_entries: Type.Array(WalletEntry),
    held_tokens: Type.Integer({ description: "Set aside for it right now" }),
    verdict: VerdictOrNull,
  },
  { "x-name": "CallDetails" },
);
export type CallDetails = Static<typeof CallDetails>;

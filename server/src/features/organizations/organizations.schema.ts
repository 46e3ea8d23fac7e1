import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { MOST_TOKENS } from "../billing/index.ts";
import { AppointmentHours } from "./appointment-hours.ts";

export const Organization = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: oneOf(["active", "suspended"], {
      description: "A suspended organization reads, but doesn't write",
    }),
    sandbox: Type.Boolean(),
    voice_enabled: Type.Boolean({ description: "Never true for a sandbox" }),
    concurrency_limit: Type.Integer({ description: "Calls at the same time" }),
    daily_attempt_cap: nullable(
      Type.Integer({
        description: "Campaigns' attempts to one number in any 24 hours; null: the calling rules' own cap",
      }),
    ),
    low_balance_threshold: Type.Integer({
      description: "Tokens; `billing.low_balance` fires when the balance falls to it",
    }),
    phone_rate_per_minute: Type.Integer({ description: "Tokens that a minute of a phone call costs" }),
    browser_rate_per_minute: Type.Integer({ description: "Tokens that a minute of a browser call costs" }),
    timezone: Type.String({ description: "IANA name" }),
    appointment_hours: AppointmentHours,
    balance_tokens: Type.Integer(),
    created_at: Instant,
    updated_at: Instant,
  },
  { "x-name": "Organization" },
);
export type Organization = Static<typeof Organization>;

export const OrganizationPage = pageOf(Organization);
export const OrganizationListQuery = Type.Object(pageQuery);

/** As many attempts in 24 hours as the calling rules allow anywhere: an organization's own cap only narrows them. */
const HIGHEST_DAILY_CAP = 3;
/** Tokens a minute. */
const HIGHEST_RATE = 1_000_000;

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 120,
    pattern: "\\S",
    description: "1 to 120 characters, not all of them spaces",
  }),
  concurrency_limit: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "calls at the same time" }),
  daily_attempt_cap: nullable(
    Type.Integer({
      minimum: 0,
      maximum: HIGHEST_DAILY_CAP,
      description: "attempts to one number in any 24 hours, at most the lawful three; null: those",
    }),
  ),
  low_balance_threshold: Type.Integer({ minimum: 0, maximum: MOST_TOKENS, description: "tokens" }),
  phone_rate_per_minute: Type.Integer({
    minimum: 0,
    maximum: HIGHEST_RATE,
    description: "tokens; calls that start from now on pay it (90)",
  }),
  browser_rate_per_minute: Type.Integer({
    minimum: 0,
    maximum: HIGHEST_RATE,
    description: "tokens; calls that start from now on pay it (60)",
  }),
  timezone: Type.String({ maxLength: 100, description: "an IANA time zone such as America/New_York" }),
};

export const OrganizationCreate = Type.Object(
  {
    name: fields.name,
    sandbox: Type.Optional(Type.Boolean({ description: "default false; can't change later" })),
    balance_tokens: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MOST_TOKENS, description: "the opening balance; default 0" }),
    ),
    concurrency_limit: Type.Optional(fields.concurrency_limit),
    low_balance_threshold: Type.Optional(fields.low_balance_threshold),
    phone_rate_per_minute: Type.Optional(fields.phone_rate_per_minute),
    browser_rate_per_minute: Type.Optional(fields.browser_rate_per_minute),
    timezone: Type.Optional(fields.timezone),
  },
  { additionalProperties: false, "x-name": "OrganizationCreate" },
);
export type OrganizationCreate = Static<typeof OrganizationCreate>;

export const OrganizationPatch = Type.Object(
  {
    name: Type.Optional(fields.name),
    status: Type.Optional(oneOf(["active", "suspended"])),
    voice_enabled: Type.Optional(Type.Boolean({ description: "a sandbox's voice can't be switched on" })),
    concurrency_limit: Type.Optional(fields.concurrency_limit),
    daily_attempt_cap: Type.Optional(fields.daily_attempt_cap),
    low_balance_threshold: Type.Optional(fields.low_balance_threshold),
    phone_rate_per_minute: Type.Optional(fields.phone_rate_per_minute),
    browser_rate_per_minute: Type.Optional(fields.browser_rate_per_minute),
    timezone: Type.Optional(fields.timezone),
    appointment_hours: Type.Optional(AppointmentHours),
  },
  { additionalProperties: false, "x-name": "OrganizationPatch" },
);
export type OrganizationPatch = Static<typeof OrganizationPatch>;

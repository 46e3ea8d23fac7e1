import { type Static, Type } from "typebox";
import { DomainError } from "../../domain-error.ts";
import { nullable, oneOf } from "../../http/schema.ts";

/** How a campaign dials: its options with their bounds and defaults. */

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const MOST_AT_ONCE = 10_000;
const MOST_PER_SECOND = 1_000;
const MOST_LINES = 10;
const MOST_ATTEMPTS = 50;
/** Thirty days: who waits longer wants another campaign. */
const LONGEST_RETRY_MINUTES = 43_200;

const WINDOW = "^(?:[01]\\d|2[0-3]):[0-5]\\d-(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$";

const concurrency = Type.Integer({
  minimum: 1,
  maximum: MOST_AT_ONCE,
  description: "calls at once (ai) or seats (power, predictive); null: as many as the organization may have",
});
const callsPerSecond = Type.Number({
  exclusiveMinimum: 0,
  maximum: MOST_PER_SECOND,
  description: "call starts a second, also less than one; null: no limit of its own",
});
const linesPerSeat = Type.Number({
  minimum: 1,
  maximum: MOST_LINES,
  description: "lines dialed for a free seat: of the mode power, and where predictive begins",
});
const maxAttempts = Type.Integer({
  minimum: 1,
  maximum: MOST_ATTEMPTS,
  description: "attempts to reach a lead, retries included",
});
const window = Type.String({
  pattern: WINDOW,
  description:
    "HH:MM-HH:MM of the called party's clock, the first before the second, such as 09:00-17:30; it narrows the lawful hours, and null is those",
});
const days = Type.Array(oneOf(DAYS), {
  minItems: 1,
  maxItems: DAYS.length,
  uniqueItems: true,
  description: "days of the called party, each of them once; null: all",
});
const minutes = Type.Integer({
  minimum: 1,
  maximum: LONGEST_RETRY_MINUTES,
  description: "whole minutes, at most 30 days",
});
const retries = { busy: minutes, no_answer: minutes, voicemail: minutes, network_failure: minutes };
const requireConsent = Type.Boolean({ description: "call only leads whose `consented_at` is known" });

/** As the record shows them. */
export const CampaignOptions = {
  concurrency: nullable(concurrency),
  calls_per_second: nullable(callsPerSecond),
  lines_per_seat: linesPerSeat,
  max_attempts: maxAttempts,
  window: nullable(window),
  days: nullable(days),
  retry_minutes: Type.Object(retries, { description: "Until the next attempt, by what became of the last" }),
  require_consent: requireConsent,
};

/** As bodies name them. Retries that aren't named keep their minutes. */
export const CampaignOptionsInput = {
  concurrency: Type.Optional(CampaignOptions.concurrency),
  calls_per_second: Type.Optional(CampaignOptions.calls_per_second),
  lines_per_seat: Type.Optional(linesPerSeat),
  max_attempts: Type.Optional(maxAttempts),
  window: Type.Optional(CampaignOptions.window),
  days: Type.Optional(CampaignOptions.days),
  retry_minutes: Type.Optional(
    Type.Partial(Type.Object(retries), { additionalProperties: false, "x-unknown-error": "unknown_field" }),
  ),
  require_consent: Type.Optional(requireConsent),
};

const optionsRecord = Type.Object(CampaignOptions);
const optionsInput = Type.Object(CampaignOptionsInput);
type Options = Static<typeof optionsRecord>;
type OptionsInput = Static<typeof optionsInput>;

export const defaultOptions: Options = {
  concurrency: null,
  calls_per_second: null,
  lines_per_seat: 1.5,
  max_attempts: 4,
  window: null,
  days: null,
  retry_minutes: { busy: 30, no_answer: 120, voicemail: 1_440, network_failure: 5 },
  require_consent: false,
};

/**
 * Lays what was sent over what holds. Days come out in the week's order.
 * @throws DomainError invalid_request for a window that ends where it begins or before
 */
export function optionsWith(current: Options, sent: OptionsInput): Options {
  const optionNames = Object.keys(CampaignOptions) as (keyof Options)[];
  const named = Object.fromEntries(
    optionNames.filter((name) => name in sent).map((name) => [name, sent[name]]),
  );
  const { window: hours, days: sentDays, retry_minutes } = sent;
  if (hours != null) {
    const [start, end] = hours.split("-") as [string, string];
    if (start >= end)
      throw new DomainError("invalid_request", `window must begin before it ends, not ${start} to ${end}.`);
  }
  return {
    ...(Object.fromEntries(optionNames.map((name) => [name, current[name]])) as Options),
    ...named,
    ...(sentDays ? { days: DAYS.filter((day) => sentDays.includes(day)) } : {}),
    retry_minutes: { ...current.retry_minutes, ...retry_minutes },
  };
}

/** The columns `concurrency` to `require_consent`, in the order of the statements that write them. */
export function optionValues(options: Options): unknown[] {
  const [start, end] = options.window?.split("-") ?? [null, null];
  return [
    options.concurrency,
    options.calls_per_second,
    options.lines_per_seat,
    options.max_attempts,
    start,
    end,
    options.days,
    JSON.stringify(options.retry_minutes),
    options.require_consent,
  ];
}

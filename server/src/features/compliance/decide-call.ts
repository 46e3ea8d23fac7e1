import { type Place, placeOfNumber } from "../../numbering/index.ts";
import type { CallQuestion, Reason, Verdict } from "./call-question.ts";
import { type CallingHours, callingHours, type HoursRule, holdsOn } from "./calling-hours.ts";
import { GROUNDS, type Ground } from "./grounds.ts";
import { type CallingRule, type RuleBook, WEEKDAYS } from "./rule-book.ts";
import { createZoneClocks, type ZoneClock } from "./zone-clocks.ts";

const DAY_MS = 86_400_000;
/** When a call under way is expected to be over, if nobody knows better. */
const IN_FLIGHT_MS = 60_000;
/** From when on there are rules, and until when clocks show a year of four digits: other instants are refused. */
const FIRST_INSTANT = Date.UTC(1992, 0);
const LAST_INSTANT = Date.UTC(9990, 0);
const MOST_PROFILES = 20_000;
const MOST_OF_PLACE = 64;
const MOST_DATES = 1_000;

const ALWAYS = { effective_from: "0000-01-01", effective_to: null };

/** What a profile depends on beside the place. Most leads have no zone and no state of their own. */
type ProfileKey = Pick<CallQuestion["lead"], "timezone" | "state"> &
  Pick<CallQuestion["campaign"], "automated" | "start" | "end" | "days">;

/** What the verdicts on many leads have in common. */
interface Profile extends ProfileKey {
  zones: readonly ZoneClock[];
  states: readonly string[];
  hours: CallingHours;
  /** The rules with a cap of attempts in 24 hours, the lowest first, a state's before our own. */
  caps: readonly CallingRule[];
}

/**
 * Makes the function that says whether a number may be called at an instant, and why, or when it may be. It reads no clock
 * and no database, and answers any text and any number.
 *
 * Of several reasons it gives the first in this order: those that waiting can't mend (`dnc`, `opted_out`, `no_consent`,
 * `attempts_exhausted`, `timezone_unknown`, `voice_suspended`, `no_caller_id`, `insufficient_balance`), hours that never come
 * (`outside_window`), then those that have a `next_allowed_at` (`number_in_flight`, `retry_not_due`, `frequency_cap`,
 * `outside_window`). `next_allowed_at` is the first instant at which nothing known now is in the way.
 */
export function createDecideCall(rules: RuleBook): (question: CallQuestion) => Verdict {
  const clocks = createZoneClocks();
  const dates = keptDates();
  const profiles = new Map<Place, Profile[]>();
  let count = 0;

  function profileOf({ number, lead, campaign }: CallQuestion): Profile {
    const place = placeOfNumber(number);
    let ofPlace = profiles.get(place);
    const known = ofPlace?.find((profile) => fits(profile, lead, campaign));
    if (known) return known;
    if (count >= MOST_PROFILES) {
      profiles.clear();
      count = 0;
      ofPlace = undefined;
    }
    if (ofPlace === undefined) {
      ofPlace = [];
      profiles.set(place, ofPlace);
    }
    const profile = makeProfile(place, lead, campaign);
    // The newest first: what was asked for is asked for again. Few, so that they are found faster than by a key made of text.
    ofPlace.unshift(profile);
    if (ofPlace.length > MOST_OF_PLACE) ofPlace.pop();
    else count++;
    return profile;
  }

  function makeProfile(
    place: Place,
    lead: CallQuestion["lead"],
    campaign: CallQuestion["campaign"],
  ): Profile {
    // A zone that doesn't exist isn't known: the number decides.
    const zones = lead.timezone && clocks.has(lead.timezone) ? [lead.timezone] : place.timezones;
    const ownState = lead.state?.toUpperCase();
    const states =
      ownState && rules.has(`${place.country}-${ownState}`)
        ? [...new Set([...place.states, ownState])]
        : place.states;
    const applicable = ["*", place.country, ...states.map((state) => `${place.country}-${state}`)]
      .flatMap((jurisdiction) => rules.get(jurisdiction) ?? [])
      .filter(({ channel }) => channel === "voice" || campaign.automated);
    const own: HoursRule = {
      ...GROUNDS.campaign_hours,
      ...ALWAYS,
      days: campaign.days ?? WEEKDAYS,
      start: campaign.start ?? "00:00",
      end: campaign.end ?? "24:00",
    };
    const offDays = WEEKDAYS.filter((day) => !own.days.includes(day));
    const closed: HoursRule = { ...own, days: offDays, start: null, end: null };
    const zoneClocks = zones.map(clocks.clock);
    return {
      timezone: lead.timezone,
      state: lead.state,
      automated: campaign.automated,
      start: campaign.start,
      end: campaign.end,
      days: campaign.days,
      zones: zoneClocks,
      states,
      hours: callingHours(zoneClocks, states, [...applicable.filter(narrows), own, closed]),
      caps: applicable
        .filter(({ cap }) => cap !== null)
        .reverse()
        .sort((one, two) => one.cap! - two.cap!),
    };
  }

  return (question) => {
    const { at, state, campaign, lead } = question;
    const profile = profileOf(question);
    const known = at >= FIRST_INSTANT && at <= LAST_INSTANT;
    const answer = (reason: Reason | null, ground: Ground, nextAllowedAt: number | null): Verdict => ({
      allowed: reason === null,
      reason,
      rule_id: ground.id,
      rule_version: ground.version,
      citation: ground.citation,
      zones: known
        ? profile.zones.map((zone) => ({
            timezone: zone.timezone,
            local_time: localTime(at + zone.offset(at), dates),
          }))
        : [],
      states: profile.states,
      next_allowed_at: nextAllowedAt,
    });

    if (state.onDnc) return answer("dnc", GROUNDS.dnc, null);
    if (state.optedOut) return answer("opted_out", GROUNDS.opted_out, null);
    if (campaign.requireConsent && !lead.consented) return answer("no_consent", GROUNDS.no_consent, null);
    if (campaign.attempts >= campaign.maxAttempts)
      return answer("attempts_exhausted", GROUNDS.attempts_exhausted, null);
    if (profile.zones.length === 0) return answer("timezone_unknown", GROUNDS.timezone_unknown, null);
    if (state.voiceSuspended) return answer("voice_suspended", GROUNDS.voice_suspended, null);
    if (!state.hasCallerId) return answer("no_caller_id", GROUNDS.no_caller_id, null);
    if (!state.canAfford) return answer("insufficient_balance", GROUNDS.insufficient_balance, null);
    if (!known) return answer("outside_window", GROUNDS.outside_time, null);

    const today = dates(Math.floor(at / DAY_MS));
    const capRule = profile.caps.find((rule) => holdsOn(rule, today));
    const lawful = capRule?.cap ?? Number.POSITIVE_INFINITY;
    const cap = Math.min(lawful, state.dailyCap ?? lawful);
    const capFrees = cap > 0 ? freeAfter(state.recentAttempts, cap, at) : null;
    if (capFrees === null) return answer("frequency_cap", GROUNDS.own_cap, null);
    const flightEnds = state.inFlight ? Math.max(state.inFlightUntil ?? 0, at + IN_FLIGHT_MS) : at;
    const earliest = Math.max(at, flightEnds, state.retryAt ?? 0, capFrees);
    const now = profile.hours.at(at);
    if (earliest === at && now.open) return answer(null, now.rule, null);

    const next = profile.hours.nextOpening(earliest);
    if (next === null || next > LAST_INSTANT) {
      return answer("outside_window", now.open ? profile.hours.at(earliest).rule : now.rule, null);
    }
    if (state.inFlight) return answer("number_in_flight", GROUNDS.number_in_flight, next);
    if (state.retryAt !== null && state.retryAt > at)
      return answer("retry_not_due", GROUNDS.retry_not_due, next);
    if (capFrees > at)
      return answer("frequency_cap", capRule && cap === lawful ? capRule : GROUNDS.own_cap, next);
    return answer("outside_window", now.rule, next);
  };
}

function fits(profile: ProfileKey, lead: CallQuestion["lead"], campaign: CallQuestion["campaign"]): boolean {
  return (
    profile.timezone === lead.timezone &&
    profile.state === lead.state &&
    profile.automated === campaign.automated &&
    profile.start === campaign.start &&
    profile.end === campaign.end &&
    (profile.days === campaign.days || profile.days?.join() === campaign.days?.join())
  );
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/**
 * `YYYY-MM-DDTHH:MM:SS` of a wall's clock, as `toISOString` writes it, which takes longer than all the rest of a verdict.
 * @param wall milliseconds, of the years 1970 to 9999
 */
function localTime(wall: number, dateOf: (day: number) => string): string {
  const day = Math.floor(wall / DAY_MS);
  const seconds = Math.floor((wall - day * DAY_MS) / 1_000);
  const time = `${TWO_DIGITS[Math.floor(seconds / 3_600)]}:${TWO_DIGITS[Math.floor(seconds / 60) % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${dateOf(day)}T${time}`;
}

/** Days since 1970-01-01 as dates. Leads are looked at within a day or two. */
function keptDates(): (day: number) => string {
  const dates = new Map<number, string>();
  let lastDay = Number.NaN;
  let lastDate = "";
  return (day) => {
    if (day !== lastDay) {
      lastDate = find(day);
      lastDay = day;
    }
    return lastDate;
  };
  function find(day: number): string {
    let date = dates.get(day);
    if (date === undefined) {
      if (dates.size >= MOST_DATES) dates.clear();
      date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      dates.set(day, date);
    }
    return date;
  }
}

/** A rule of every hour narrows nothing, and is cited for no hour. */
function narrows({ start, end }: CallingRule): boolean {
  return start !== "00:00" || end !== "24:00";
}

/** When fewer attempts than the cap lie within the last 24 hours. @param attempts in any order */
function freeAfter(attempts: readonly number[], cap: number, at: number): number {
  if (attempts.length < cap) return at;
  const recent = attempts.filter((attempt) => attempt > at - DAY_MS).sort((one, two) => two - one);
  const oldest = recent[cap - 1];
  return oldest === undefined ? at : oldest + DAY_MS;
}

import { isHoliday } from "./holidays.ts";
import { type Hours, lawsFor, MOST_ABANDONED, MOST_ATTEMPTS_IN_24_HOURS } from "./laws.ts";
import { createWallClocks, type WallTime } from "./wall-clock.ts";

/** Somebody who may be called, with all that decides when. Instants are milliseconds since the epoch throughout. */
export interface Party {
  /** E.164 */
  number: string;
  country: "US" | "CA" | "other";
  /** Where the number may be: what isn't known is nowhere, and nowhere may nobody be called. */
  states: readonly string[];
  zones: readonly string[];
  consented: boolean;
}

/** What the campaign says for itself. */
export interface CampaignTerms {
  maxAttempts: number;
  /** Minutes. */
  retry: { busy: number; no_answer: number; voicemail: number; network_failure: number };
  /** Minutes since midnight of the called party's clock, half-open; null: the law's own. */
  window: { from: number; to: number } | null;
  /** 0 is Sunday; null: all. */
  days: readonly number[] | null;
  requireConsent: boolean;
}

/** How a call ended, in the checker's own words. `dead`: blocked by a carrier, or there is no such number. */
export type Ending = "busy" | "no_answer" | "voicemail" | "network_failure" | "person" | "abandoned" | "dead";

export type Breach =
  | ("unknown_party" | "no_place" | "hours" | "campaign_hours" | "campaign_days" | "no_consent")
  | ("refused_before" | "reached_before" | "two_at_once" | "cap" | "too_early" | "max_attempts")
  | ("campaign_not_active" | "ended_twice" | "abandonment");

export interface Violation {
  breach: Breach;
  at: number;
  number: string | null;
  detail: string;
}

interface History {
  party: Party;
  live: boolean;
  attempts: number[];
  last: { ending: Ending; at: number; callbackAt: number | null } | null;
  networkFailures: number;
  /** Since when calls are refused: by the list or by the person. */
  refusedSince: number | null;
}

export interface Checker {
  /** A call was dialed. To be told of all in the order in which they happened. */
  dialed(number: string, at: number): void;
  /** Its end. `callbackAt`: when the person asked to be called, if they did. */
  ended(number: string, at: number, ending: Ending, callbackAt?: number | null): void;
  /** The number is on the list, or its owner wants no more calls, from now on. */
  refused(number: string, at: number): void;
  /** The campaign is dialing, or stopped. It dials when nothing was said. */
  active(isActive: boolean): void;
  /** All that was wrong, with what only the whole shows. */
  violations(): readonly Violation[];
  counts(): { dialed: number; persons: number; abandoned: number };
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * Watches what is dialed, and knows nothing of why: no rule, table or line of it is the dialer's.
 */
export function createChecker(parties: Iterable<Party>, terms: CampaignTerms): Checker {
  const records = new Map<string, History>();
  for (const party of parties) {
    records.set(party.number, {
      ...{ party, live: false, attempts: [], last: null, networkFailures: 0, refusedSince: null },
    });
  }
  const wallTime = createWallClocks();
  const found: Violation[] = [];
  const counts = { dialed: 0, persons: 0, abandoned: 0 };
  let isActive = true;

  function checkHours(party: Party, at: number, breach: (kind: Breach, detail: string) => void): void {
    if (party.zones.length === 0) breach("no_place", "nobody knows what clocks show there");
    const laws = lawsFor(party.country, party.states);
    for (const zone of party.zones) {
      const time = wallTime(zone, at);
      const shown = `${zone} ${time.year}-${time.month}-${time.day}, weekday ${time.weekday}, ${time.minute.toFixed(1)} minutes`;
      for (const law of laws) {
        const holiday = law.holiday !== undefined && isHoliday(time, party.states);
        const ofDay = time.weekday === 0 ? law.sunday : time.weekday === 6 ? law.saturday : undefined;
        for (const hours of [ofDay ?? law.everyDay, ...(holiday ? [law.holiday!] : [])])
          if (!isWithin(hours, time)) breach("hours", `${shown}${holiday ? ", holiday" : ""}`);
      }
      if (terms.window && !(time.minute >= terms.window.from && time.minute < terms.window.to))
        breach("campaign_hours", shown);
      if (terms.days && !terms.days.includes(time.weekday)) breach("campaign_days", shown);
    }
  }

  function checkHistory(record: History, at: number, breach: (kind: Breach, detail: string) => void): void {
    const { last, attempts, refusedSince } = record;
    if (refusedSince !== null && at >= refusedSince) breach("refused_before", ago(at, refusedSince));
    if (record.live) breach("two_at_once", "the one before hasn't ended");
    const recent = attempts.filter((attempt) => attempt > at - DAY).length + 1;
    if (recent > MOST_ATTEMPTS_IN_24_HOURS) breach("cap", `${recent} in 24 hours`);
    const invited = last !== null && last.callbackAt !== null;
    if (attempts.length >= terms.maxAttempts && !invited)
      breach("max_attempts", `number ${attempts.length + 1}`);
    if (last === null) return;
    if (invited) {
      if (at < last.callbackAt!) breach("too_early", `${ago(last.callbackAt!, at)}: before they asked for`);
      return;
    }
    if (last.ending === "person" || last.ending === "abandoned" || last.ending === "dead")
      breach("reached_before", `${last.ending}, ${ago(at, last.at)}`);
    else if (at < last.at + terms.retry[last.ending] * MINUTE)
      breach("too_early", `${last.ending}, ${ago(at, last.at)}`);
    if (record.networkFailures > 1) breach("reached_before", "the network failed twice");
  }

  return {
    dialed(number, at) {
      counts.dialed++;
      const breach = (kind: Breach, detail: string) => void found.push({ breach: kind, at, number, detail });
      const record = records.get(number);
      if (!record) return breach("unknown_party", "not one of the campaign's leads");
      if (!isActive) breach("campaign_not_active", "it is stopped");
      if (terms.requireConsent && !record.party.consented) breach("no_consent", "none is known");
      checkHours(record.party, at, breach);
      checkHistory(record, at, breach);
      record.attempts.push(at);
      record.live = true;
    },
    ended(number, at, ending, callbackAt = null) {
      const record = records.get(number);
      if (!record?.live)
        return void found.push({ breach: "ended_twice", at, number, detail: "an end without a call" });
      record.live = false;
      record.last = { ending, at, callbackAt };
      if (ending === "network_failure") record.networkFailures++;
      if (ending === "person" || ending === "abandoned") counts.persons++;
      if (ending === "abandoned") counts.abandoned++;
    },
    refused(number, at) {
      const record = records.get(number);
      if (record) record.refusedSince ??= at;
    },
    active(now) {
      isActive = now;
    },
    violations() {
      const share = counts.persons === 0 ? 0 : counts.abandoned / counts.persons;
      if (share <= MOST_ABANDONED) return found;
      const detail = `${counts.abandoned} of ${counts.persons} answers`;
      return [...found, { breach: "abandonment", at: 0, number: null, detail }];
    },
    counts: () => ({ ...counts }),
  };
}

function isWithin(hours: Hours, { minute }: WallTime): boolean {
  return hours !== "closed" && minute >= hours[0] * 60 && minute < hours[1] * 60;
}

function ago(later: number, earlier: number): string {
  return `${((later - earlier) / MINUTE).toFixed(1)} minutes`;
}

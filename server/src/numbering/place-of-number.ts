import { readTerritories } from "./area-codes.ts";
import { zonesOfNumber } from "./zones.ts";

/** Where a phone may be, as far as its number tells. */
export interface Place {
  /** Whose federal rules hold: the United States with their territories, Canada, or any other country. */
  country: "US" | "CA" | "other";
  /** States or provinces, two letters each; none outside the United States and Canada. */
  states: readonly string[];
  /** All that the number may be in. None for a toll-free or unknown code. */
  timezones: readonly string[];
}

/** Toll-free codes and those that aren't given to a place: the United States' rules, and no zone. */
const NORTH_AMERICA_NOWHERE: Place = { country: "US", states: [], timezones: [] };
const NOWHERE: Place = { country: "other", states: [], timezones: [] };

const byAreaCode = new Map<string, Place>(
  readTerritories().flatMap(({ country, states, codes }) =>
    codes.map((code): [string, Place] => {
      const federal = country === "US" || country === "CA" ? country : "other";
      return [code, { country: federal, states, timezones: zonesOfNumber(`+1${code}`) }];
    }),
  ),
);

/** The place of any text, a phone number or not. @param phoneNumber E.164 */
export function placeOfNumber(phoneNumber: string): Place {
  if (phoneNumber.startsWith("+1")) {
    if (!/^\+1[2-9]\d{9}$/.test(phoneNumber)) return NORTH_AMERICA_NOWHERE;
    return byAreaCode.get(phoneNumber.slice(2, 5)) ?? NORTH_AMERICA_NOWHERE;
  }
  const timezones = /^\+[2-9]\d{6,14}$/.test(phoneNumber) ? zonesOfNumber(phoneNumber) : [];
  return timezones.length === 0 ? NOWHERE : { country: "other", states: [], timezones };
}

/** Every state and province that a number can be in, such as `US-FL` and `CA-ON`. */
export function knownStates(): string[] {
  return readTerritories().flatMap(({ country, states }) => states.map((state) => `${country}-${state}`));
}

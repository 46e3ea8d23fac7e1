import { zonesByPrefix } from "./zones-by-prefix.ts";

/** Codes of one territory that the table lists with different zones: each has those of both. */
const OVERLAYS: readonly (readonly [string, string])[] = [
  ["1270", "1364"],
  ["1541", "1458"],
  ["1812", "1930"],
  ["1850", "1448"],
];

const LONGEST_PREFIX = 7;

const byPrefix = readTable(zonesByPrefix);

/**
 * The time zones that a number's area code covers, or its country where that isn't +1; the main one first. None for
 * numbers without a place, such as toll-free ones.
 * @param phoneNumber E.164
 */
export function zonesOfNumber(phoneNumber: string): readonly string[] {
  const digits = phoneNumber.slice(1);
  for (let length = LONGEST_PREFIX; length > 0; length--) {
    const zones = byPrefix.get(digits.slice(0, length));
    if (zones) return zones;
  }
  return [];
}

/** The number's time zone when its area code has only one. @param phoneNumber E.164 */
export function timeZoneOfNumber(phoneNumber: string): string | null {
  const zones = zonesOfNumber(phoneNumber);
  return zones.length === 1 ? zones[0]! : null;
}

function readTable(table: string): ReadonlyMap<string, readonly string[]> {
  const zones = new Map<string, readonly string[]>();
  for (const line of table.trim().split("\n")) {
    const [names, ...prefixes] = line.split(" ");
    for (const prefix of prefixes) zones.set(prefix, names!.split("&"));
  }
  for (const [one, other] of OVERLAYS) {
    const [ofOne, ofOther] = [zones.get(one) ?? [], zones.get(other) ?? []];
    zones.set(one, [...new Set([...ofOne, ...ofOther])]);
    zones.set(other, [...new Set([...ofOther, ...ofOne])]);
  }
  return zones;
}

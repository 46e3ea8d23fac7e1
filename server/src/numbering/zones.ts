import { readTerritories } from "./area-codes.ts";
import { zonesByPrefix } from "./zones-by-prefix.ts";

/** Where the package is wrong: calling codes with the zone of a neighbour whose clocks differ, and codes of one clock with two. */
const CORRECTIONS: Readonly<Record<string, readonly string[]>> = {
  1474: ["America/Regina"],
  1689: ["America/New_York"],
  1709: ["America/St_Johns", "America/Halifax"],
  1879: ["America/St_Johns", "America/Halifax"],
  211: ["Africa/Juba"],
  212: ["Africa/Casablanca"],
  213: ["Africa/Algiers"],
  218: ["Africa/Tripoli"],
  353: ["Europe/Dublin"],
  56: ["America/Santiago", "America/Punta_Arenas", "Pacific/Easter"],
  970: ["Asia/Gaza", "Asia/Hebron"],
};

const LONGEST_PREFIX = 4;

const byPrefix = readTable(zonesByPrefix);

/**
 * The time zones that a number's area code and its overlay codes cover, or its country where that isn't +1; the main one
 * of the code first. None for numbers without a place, such as toll-free ones.
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

/** The number's time zone when its territory has only one. @param phoneNumber E.164 */
export function timeZoneOfNumber(phoneNumber: string): string | null {
  const zones = zonesOfNumber(phoneNumber);
  return zones.length === 1 ? zones[0]! : null;
}

function readTable(table: string): ReadonlyMap<string, readonly string[]> {
  const zones = new Map<string, readonly string[]>();
  for (const line of table.trim().split("\n")) {
    const [names, ...prefixes] = line.split(" ");
    for (const prefix of prefixes) zones.set(prefix, CORRECTIONS[prefix] ?? names!.split("&"));
  }
  for (const { codes } of readTerritories()) {
    const ofAll = codes.map((code) => zones.get(`1${code}`) ?? []);
    codes.forEach((code, index) => {
      zones.set(`1${code}`, [...new Set([...ofAll[index]!, ...ofAll.flat()])]);
    });
  }
  return zones;
}

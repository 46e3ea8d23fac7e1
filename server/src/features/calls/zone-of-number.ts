import { timezones } from "libphonenumber-geo-carrier";

/** Numbers that belong to no place (toll-free, satellites) are listed with the zones of half the world. */
const MOST_ZONES = 4;

/**
 * The main time zone of a number's area code. Reads a data file each time, some 10 ms: for the few calls that need it.
 * @param phoneNumber E.164
 * @returns an IANA name; null where the number says nothing of a place
 */
export async function zoneOfNumber(phoneNumber: string): Promise<string | null> {
  // The library looks at nothing else of the number.
  const zones = await timezones({ number: phoneNumber } as Parameters<typeof timezones>[0]);
  return zones !== null && zones.length > 0 && zones.length <= MOST_ZONES ? zones[0]! : null;
}

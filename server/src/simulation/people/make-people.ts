import { type Chance, chanceFrom } from "../seeded-random.ts";
import { abroad, type Numbered, northAmerica, nowhere, type Territory } from "./territories.ts";

/** Somebody with a phone, as they are, whatever the service knows of them. */
export interface Person {
  /** From 0: what their chances are drawn by. */
  index: number;
  /** E.164, nobody else's. */
  phoneNumber: string;
  territory: Territory;
  /** Where they are in it; null for a number without a place. */
  zone: string | null;
  /** Whether the organization's do-not-call list has the number from the beginning. */
  listed: boolean;
  consented: boolean;
  /** Whether there is a phone at the number. */
  reachable: boolean;
  /** How readily they answer, around 1. */
  readiness: number;
}

const SHARE_ABROAD = 0.01;
const SHARE_NOWHERE = 0.02;
const SHARE_OF_MANY_ZONES = 0.15;
const SHARE_LISTED = 0.02;
const SHARE_WITHOUT_CONSENT = 0.04;
const SHARE_UNREACHABLE = 0.012;
/** Of those in a territory with several zones, how many live in the main one. */
const SHARE_IN_MAIN_ZONE = 0.7;

const ofManyZones = northAmerica.filter(({ zones }) => zones.length > 1);

/** People of every kind of number, the same ones for the same seed, in an order that tells nothing. */
export function makePeople({ count, seed }: { count: number; seed: number }): Person[] {
  const taken = new Set<string>();
  const chance = chanceFrom(seed, "people");
  return Array.from({ length: count }, (_, index): Person => {
    const territory = territoryOf(chance);
    const { country, states, zones } = territory;
    return {
      index,
      phoneNumber: numberIn(territory, chance, taken),
      territory: { country, states, zones },
      zone: zones.length === 0 ? null : chance.happens(SHARE_IN_MAIN_ZONE) ? zones[0]! : chance.one(zones),
      listed: chance.happens(SHARE_LISTED),
      consented: !chance.happens(SHARE_WITHOUT_CONSENT),
      reachable: !chance.happens(SHARE_UNREACHABLE),
      readiness: Math.min(2.5, chance.logNormal(1, 0.4)),
    };
  });
}

function territoryOf(chance: Chance): Numbered {
  const kind = chance.next();
  if (kind < SHARE_ABROAD) return chance.one(abroad);
  if (kind < SHARE_ABROAD + SHARE_NOWHERE) return chance.one(nowhere);
  if (kind < SHARE_ABROAD + SHARE_NOWHERE + SHARE_OF_MANY_ZONES) return chance.one(ofManyZones);
  return chance.one(northAmerica);
}

function numberIn({ prefixes, digitsAfter }: Numbered, chance: Chance, taken: Set<string>): string {
  for (;;) {
    // An exchange begins with 2 to 9.
    const rest = `${chance.between(2, 9)}${String(chance.between(0, 10 ** (digitsAfter - 1) - 1)).padStart(digitsAfter - 1, "0")}`;
    const phoneNumber = `${chance.one(prefixes)}${rest}`;
    if (taken.has(phoneNumber)) continue;
    taken.add(phoneNumber);
    return phoneNumber;
  }
}

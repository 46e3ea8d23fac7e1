/**
 * When people may be called and how often, written once more for the checker, from the sources and not from the dialer's
 * table: what both say the same of is likely to be right. Hours are those of the called party's clock, half-open.
 */
export type Hours = readonly [from: number, to: number] | "closed";

export interface Law {
  everyDay: Hours;
  saturday?: Hours;
  sunday?: Hours;
  /** Beside those of the weekday. */
  holiday?: Hours;
}

/** 47 CFR 64.1200(c)(1); Canada is taken like it, and elsewhere an hour less. */
const COUNTRIES: Readonly<Record<string, Law>> = {
  US: { everyDay: [8, 21] },
  CA: { everyDay: [8, 21] },
  other: { everyDay: [8, 20] },
};

const STATES: Readonly<Record<string, Law>> = {
  AL: { everyDay: [8, 20], sunday: "closed", holiday: "closed" },
  CT: { everyDay: [9, 20] },
  FL: { everyDay: [8, 20] },
  KY: { everyDay: [10, 21] },
  LA: { everyDay: [8, 20], sunday: "closed", holiday: "closed" },
  MD: { everyDay: [8, 20] },
  // Of automated calls, which all of a campaign are.
  ME: { everyDay: [9, 17], saturday: "closed", sunday: "closed" },
  MS: { everyDay: [8, 20], sunday: "closed" },
  NV: { everyDay: [9, 20] },
  OK: { everyDay: [8, 20] },
  PA: { everyDay: [8, 21], sunday: "closed", holiday: "closed" },
  RI: { everyDay: [8, 21], holiday: "closed" },
  TX: { everyDay: [9, 21], sunday: [12, 21] },
  UT: { everyDay: [8, 21], holiday: "closed" },
  VA: { everyDay: [8, 21] },
  WA: { everyDay: [8, 20] },
};

/** Florida, Maryland, Oklahoma: by law; everybody else: by this product's own. */
export const MOST_ATTEMPTS_IN_24_HOURS = 3;
/** 47 CFR 64.1200(a)(7) */
export const MOST_ABANDONED = 0.03;

/** What holds for somebody of a country and, there, of these states. */
export function lawsFor(country: "US" | "CA" | "other", states: readonly string[]): Law[] {
  const ofStates = country === "US" ? states.flatMap((state) => STATES[state] ?? []) : [];
  return [COUNTRIES[country]!, ...ofStates];
}

/** The people who answered calls of a campaign in the last 30 days, and how many of them found no seat. */
export interface Abandonment {
  /** Those who were abandoned included, those who are talking left out. Machines are none. */
  answered: number;
  abandoned: number;
}

/** The law's bound on the share of abandoned calls: 47 CFR 64.1200(a)(7). */
export const MOST_ABANDONED = 0.03;
/** From this share on, nothing is dialed for which no seat is free. */
export const ABANDONMENT_GATE = 0.02;

/** The share of abandoned calls counted; 0 when nobody has answered yet. */
export function abandonedShare({ answered, abandoned }: Abandonment): number {
  return answered > 0 ? abandoned / answered : 0;
}

/**
 * How many lines there may be more than free seats, so that even if every pending line were answered by a person at once,
 * no more than 3 % would have been abandoned. 0 where few answers have been counted: nobody may be abandoned among the first 33.
 * @param pending lines that may yet be answered, the new ones included
 */
export function linesAtRisk({ answered, abandoned }: Abandonment, pending: number): number {
  return Math.max(0, Math.floor(MOST_ABANDONED * (answered + pending) - abandoned + 1e-9));
}

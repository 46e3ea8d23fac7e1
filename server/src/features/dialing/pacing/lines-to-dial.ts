import { ABANDONMENT_GATE, type Abandonment, abandonedShare, linesAtRisk } from "./abandonment.ts";
import { safeLines } from "./safe-lines.ts";

export type DialerMode = "ai" | "power" | "predictive";

/** What is known of a campaign, and of what it shares with others, when its lines are counted. */
export interface PacingState {
  mode: DialerMode;
  /** Calls at once (ai), or seats (power, predictive): the campaign's own, or where it has none the organization's. */
  concurrency: number;
  /** Of the mode power; at least 1. */
  linesPerSeat: number;
  /** Of the mode predictive. */
  pace: Pace;
  lines: CampaignLines;
  /** Of the mode predictive. */
  abandonment: Abandonment;
  room: Room;
}

/** What predictive has learned: see `adaptDialLevel` and `seatsAhead`. */
export interface Pace {
  /** Lines that bring one person, with what caution makes of it; at least 1. Stored as `campaign_pacing.dial_level`. */
  level: number;
  /** The share of the taken seats that will be free by the time a new line is answered, 0 to 1; 0 while it isn't known. */
  ahead: number;
}

/** The campaign's calls at this moment, those of all processes. */
export interface CampaignLines {
  /** Claimed, dialing, ringing, or answered and not known by whom: each may still want a seat. */
  pending: number;
  /** A person talks, in a seat. */
  talking: number;
  /** No seat is wanted any more: a machine answered, or the person found none. */
  others: number;
}

/** How many more calls each bound allows. A bound that doesn't exist is Infinity. */
export interface Room {
  /** The organization's concurrency without its live calls, and without those claimed and not dialed yet. */
  organization: number;
  /** Free channels of the trunks that the campaign's numbers dial through. */
  channels: number;
  /** Call starts that may be made now: see `takeStarts`, which then takes what comes of this. */
  starts: number;
  /** How often the hold of a call's first minute fits into the balance that isn't held. */
  holds: number;
}

/** Of the people who answer, so many may find no seat by the plan of one moment; what is counted has bounds of its own. */
const PLANNED_RISK = 0.02;

/**
 * How many lines a campaign may dial now. Of the mode `ai`: as many as it can still talk to. `power`: its number of lines for
 * each free seat. `predictive`: as many as the level makes safe for the seats that are free or about to be; at the gate of 2 %
 * no more than seats are free; and never so many that more than 3 % of those who answered could come to have been abandoned.
 * @returns a whole number, 0 or more
 */
export function linesToDial(state: PacingState): number {
  const { organization, channels, starts, holds } = state.room;
  return Math.max(0, Math.floor(Math.min(wantedLines(state), organization, channels, starts, holds)));
}

/** Lines that the mode asks for, besides those that are in use: below 0 when there are too many. */
function wantedLines({ mode, concurrency, linesPerSeat, pace, lines, abandonment }: PacingState): number {
  const { pending, talking, others } = lines;
  // A machine's call takes what could be a person's place.
  if (mode === "ai") return concurrency - pending - talking - others;
  const free = Math.max(0, concurrency - talking);
  if (mode === "power") return Math.floor(Math.max(1, linesPerSeat) * free + 1e-9) - pending;
  if (abandonedShare(abandonment) >= ABANDONMENT_GATE) return free - pending;
  const seats = free + Math.min(1, Math.max(0, pace.ahead)) * Math.min(talking, concurrency);
  const planned = safeLines(seats, pace.level, PLANNED_RISK);
  return mostWithinTheLaw(abandonment, free, Math.max(free, planned)) - pending;
}

/** The most pending lines, up to `planned`, of which none could take the counted share above 3 %, should all be answered. */
function mostWithinTheLaw(abandonment: Abandonment, free: number, planned: number): number {
  let lines = planned;
  while (lines > free && lines - free > linesAtRisk(abandonment, lines)) lines--;
  return lines;
}

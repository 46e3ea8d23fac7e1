import { randomUUID } from "node:crypto";
import type { Database } from "../database/database.ts";
import { callingRules, createDecideCall, loadRules } from "../features/compliance/index.ts";
import { createDialer } from "../features/dialing/index.ts";
import { createModelledCarrier } from "./carrier/modelled-carrier.ts";
import { type Checker, createChecker, type Violation } from "./checker/checker.ts";
import { countFigures, type DayFigures } from "./figures.ts";
import { createOperator } from "./operator.ts";
import { makePeople, type Person } from "./people/make-people.ts";
import * as sql from "./simulation.sql.ts";
import { virtualClock } from "./virtual-clock.ts";
import { buildWorld, type CampaignPlan, type World } from "./world.ts";

/** What is simulated. */
export interface Simulation {
  leads: number;
  days: number;
  seed: number;
  mode: CampaignPlan["mode"];
  seats: number;
  /** How many dialers work at the same time. */
  dialers: number;
  /** The day it begins on, `YYYY-MM-DD`. */
  start: string;
}

export interface SimulationResult {
  by_day: DayFigures[];
  total: DayFigures;
  violations: readonly Violation[];
  /** Where the leads stand in the end. */
  standings: { state: string; status: string; leads: number }[];
  completed: boolean;
  /** Seconds of real time, by what they were spent on. */
  spent: Readonly<Record<Spent, number>>;
}

type DecideCall = ReturnType<typeof createDecideCall>;
type Dialer = ReturnType<typeof createDialer>;
type Spent = "making the world" | "claiming" | "dialing" | "settling";

const DAY_MS = 86_400_000;
/** Nobody may be called: after the evening of Hawaii, before the morning of Newfoundland. */
const FIRST_HOUR_UTC = 10;
const TERMS = {
  maxAttempts: 4,
  retry: { busy: 30, no_answer: 120, voicemail: 1_440, network_failure: 5 },
};
/** When the database has so many attempts, and four times as many, and so on, it has a look at its tables. */
const FIRST_ANALYZE = 50;
/** What happens within so many milliseconds is stored together, and the dialers look again after it. Seats want to be filled at once. */
const STEP_MS = { ai: 10_000, power: 2_000, predictive: 2_000 };

/**
 * Has the dialer of the service call made-up people for some days, on a clock that jumps over the time in which nothing happens.
 * @param deps a migrated database that is used for nothing else; what decides instead of the rules, in tests of the checker; `signal`
 *   ends it early, with an error
 * @param onDay called when a day is over
 */
export async function simulate(
  deps: { database: Database; decideCall?: DecideCall; signal?: AbortSignal },
  simulation: Simulation,
  onDay: (day: DayFigures) => void = () => {},
): Promise<SimulationResult> {
  const { leads, seed, days, mode, seats } = simulation;
  const from = Date.parse(`${simulation.start}T00:00:00Z`) + FIRST_HOUR_UTC * 3_600_000;
  const clock = virtualClock(from);
  const spent = { "making the world": 0, claiming: 0, dialing: 0, settling: 0 };
  const timed = async <T>(what: Spent, work: Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work;
    spent[what] += (performance.now() - started) / 1_000;
    return result;
  };

  deps.signal?.throwIfAborted();
  const people = makePeople({ count: leads, seed });
  const plan = { mode, seats, ...TERMS };
  const world = await timed("making the world", buildWorld({ ...deps, clock }, people, plan));
  const checker = checkerFor(people);
  const figures = countFigures({ from, days, checker });
  const carrier = createModelledCarrier(world, {
    ...{ people, seed, checker, seats: mode === "ai" ? null : seats },
    onDialed: figures.dialed,
    onEnded: figures.ended,
  });
  const operator = createOperator(world, { people, seed, from, days, checker });
  const decideCall = deps.decideCall ?? createDecideCall(loadRules(callingRules));
  const dialers = Array.from({ length: simulation.dialers }, () =>
    createDialer({
      ...{ database: world.database, clock, newId: world.newId, decideCall, placer: carrier.placer },
      ...{ workerId: randomUUID(), campaignsChanged() {}, dialingMetrics: { attemptEnded() {} } },
      onError(what, error) {
        throw new Error(what, { cause: error });
      },
    }),
  );

  const end = from + days * DAY_MS;
  let nextDay = from + DAY_MS;
  let nextAnalyze = FIRST_ANALYZE;
  while (clock.now() < end) {
    deps.signal?.throwIfAborted();
    await timed("settling", carrier.store());
    await operator.act();
    let nextAt = await timed("claiming", claimAll(dialers));
    await timed("dialing", carrier.dial());
    if (checker.counts().dialed >= nextAnalyze) {
      await world.database.query({ text: sql.analyze });
      nextAnalyze *= 4;
    }
    nextAt = Math.min(nextAt, clock.next() ?? Number.POSITIVE_INFINITY);
    // On a grid, so that what happens close together is looked at once.
    const step = STEP_MS[mode];
    const at = Math.max(clock.now() + step, Math.ceil(nextAt / step) * step);
    for (; nextDay <= Math.min(at, end); nextDay += DAY_MS) {
      clock.moveTo(Math.max(clock.now(), nextDay));
      onDay(figures.day((nextDay - from) / DAY_MS - 1));
    }
    clock.moveTo(Math.max(clock.now(), Math.min(at, end)));
  }
  // What still rings is no attempt that was forgotten.
  await carrier.store();
  return {
    by_day: figures.days(),
    total: figures.total(),
    violations: checker.violations(),
    ...(await readStandings(world)),
    spent,
  };
}

/** @returns when one of the dialers has something to do again */
async function claimAll(dialers: readonly Dialer[]): Promise<number> {
  let nextAt = Number.POSITIVE_INFINITY;
  await Promise.all(
    dialers.map(async (dialer) => {
      for (let again = true; again; ) {
        const result = await dialer.round();
        await dialer.settled();
        again = result.again === true;
        nextAt = Math.min(nextAt, result.nextAt ?? Number.POSITIVE_INFINITY);
      }
    }),
  );
  return nextAt;
}

function checkerFor(people: readonly Person[]): Checker {
  const parties = people.map(({ phoneNumber, territory, consented }) => ({
    number: phoneNumber,
    ...territory,
    consented,
  }));
  const terms = { ...TERMS, window: null, days: null, requireConsent: true };
  const checker = createChecker(parties, terms);
  for (const { listed, phoneNumber } of people) if (listed) checker.refused(phoneNumber, 0);
  return checker;
}

async function readStandings({ database, organizationId, campaignId }: World) {
  const values = [organizationId, campaignId];
  const standings = await database.query<SimulationResult["standings"][number]>({
    ...sql.countEntries,
    values,
  });
  const [campaign] = await database.query<{ status: string }>({ ...sql.readStatus, values });
  return { standings, completed: campaign!.status === "completed" };
}

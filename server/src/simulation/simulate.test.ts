import { afterEach, beforeEach, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { callingRules, createDecideCall, loadRules } from "../features/compliance/index.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { type Simulation, simulate } from "./simulate.ts";

let own: TestDatabase;
let database: Database;
beforeEach(async () => {
  own = await createTestDatabase();
  database = openDatabase({ connection: own.connection, poolSize: 4 });
});
afterEach(async () => {
  await database.close();
  await own.drop();
});

/** Clocks are moved in the second night; the second day is a Sunday. */
const weekend: Simulation = {
  ...{ leads: 90, days: 2, seed: 1, mode: "ai", seats: 45, dialers: 2, start: "2026-03-07" },
};

it("calls people over a weekend on which clocks are moved, and does nothing wrong", async () => {
  const days: string[] = [];
  const result = await simulate({ database }, weekend, ({ date }) => days.push(date));
  expect(result.violations).toEqual([]);
  expect(days).toEqual(["2026-03-07", "2026-03-08"]);
  expect(result.by_day.map(({ date }) => date)).toEqual(days);
  const { attempts, answers, machines, tokens, abandoned } = result.total;
  expect(attempts).toBeGreaterThan(90);
  expect(answers).toBeGreaterThan(3);
  expect(machines).toBeGreaterThan(answers);
  expect(tokens).toBeGreaterThan(500);
  expect(abandoned).toBe(0);
  expect(attempts).toBe(result.by_day[0]!.attempts + result.by_day[1]!.attempts);
  // Nobody is lost: each lead stands somewhere, and none is still being called.
  expect(result.standings.reduce((sum, { leads }) => sum + leads, 0)).toBe(90);
  expect(result.standings.filter(({ state }) => state === "dialing")).toEqual([]);
  const [stored] = await database.query<{ attempts: number }>({
    text: "SELECT count(*)::int AS attempts FROM dial_attempts WHERE state = 'settled'",
  });
  expect(stored).toEqual({ attempts });
}, 120_000);

it("sees what a dialer does that allows everything", async () => {
  const decide = createDecideCall(loadRules(callingRules));
  const result = await simulate(
    { database, decideCall: (question) => ({ ...decide(question), allowed: true, reason: null }) },
    { ...weekend, days: 1, start: "2026-03-08" },
  );
  const breaches = new Set(result.violations.map(({ breach }) => breach));
  // Not `no_consent`: consent is looked at once more when a line is taken, whatever was decided.
  for (const breach of ["hours", "no_place", "refused_before"] as const) expect(breaches).toContain(breach);
  expect(result.total.violations).toBeGreaterThan(20);
}, 120_000);

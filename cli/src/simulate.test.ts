import { expect, it } from "vitest";
import { runCli } from "./testing/run-cli.ts";

const FLAGS = ["--leads", "40", "--days", "1", "--start", "2026-03-05"];

it("simulates a day of calls on a database of its own, and says what came of it", async () => {
  const run = await runCli(["simulate", ...FLAGS, "--seed", "3", "--json"], {});
  expect(run).toMatchObject({ status: 0, stderr: "" });
  const record = JSON.parse(run.stdout) as Record<string, unknown>;
  expect(record).toMatchObject({ seed: 3, leads: 40, days: 1, mode: "ai", seats: 5, violations: [] });
  expect(record.by_day).toHaveLength(1);
  expect(record.total).toMatchObject({ date: "2026-03-05", violations: 0, abandoned: 0 });

  const shown = await runCli(["simulate", ...FLAGS, "--mode", "predictive"], {});
  expect(shown).toMatchObject({ status: 0, stderr: "" });
  expect(shown.stdout).toContain("2026-03-05");
  expect(shown.stdout).toContain("No violation.");
  expect(shown.stdout).toMatch(
    /Again: outreach simulate --leads 40 --days 1 --mode predictive .* --seed \d+\n$/,
  );
});

it("refuses what it can't simulate, in words", async () => {
  for (const flags of [
    ["--leads", "0"],
    ["--mode", "fast"],
    ["--start", "tomorrow"],
    ["--seed", "-1"],
  ])
    expect(await runCli(["simulate", ...flags], {})).toMatchObject({ status: 2, stdout: "" });
  const away = await runCli(["simulate", "--json"], { DATABASE_URL: "postgres://u:secret@127.0.0.1:9/x" });
  expect(away).toMatchObject({ status: 1, stdout: "" });
  expect(JSON.parse(away.stderr)).toEqual({
    error: "simulation_failed",
    message: "The database that DATABASE_URL names (127.0.0.1:9/x) doesn't answer: nothing listens there.",
  });
});

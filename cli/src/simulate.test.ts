import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, startCli } from "./testing/run-cli.ts";

const FLAGS = ["--leads", "15", "--days", "1", "--start", "2026-03-05"];

it("simulates a day of calls on a database of its own, and says what came of it", async () => {
  const run = await runCli(["simulate", ...FLAGS, "--seed", "3", "--json"], {});
  expect(run).toMatchObject({ status: 0, stderr: "" });
  const record = JSON.parse(run.stdout) as Record<string, unknown>;
  expect(record).toMatchObject({ seed: 3, leads: 15, days: 1, mode: "ai", seats: 5, violations: [] });
  expect(record.by_day).toHaveLength(1);
  expect(record.total).toMatchObject({ date: "2026-03-05", violations: 0, abandoned: 0 });

  const shown = await runCli(["simulate", ...FLAGS, "--mode", "predictive"], {});
  expect(shown).toMatchObject({ status: 0, stderr: "" });
  expect(shown.stdout).toContain("2026-03-05");
  expect(shown.stdout).toContain("No violation.");
  expect(shown.stdout).toMatch(
    /Again: outreach simulate --leads 15 --days 1 --mode predictive .* --seed \d+\n$/,
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
}, 120_000);

it("leaves nothing behind when it is stopped", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outreach-cli-"));
  const child = startCli(["simulate", "--leads", "2000"], { TMPDIR: folder });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = new Promise((resolve) => child.on("close", resolve));
  await expect.poll(() => readdir(folder), { timeout: 60_000 }).toHaveLength(1);
  child.kill("SIGTERM");
  expect(await exited).toBe(1);
  expect(JSON.parse(stderr)).toEqual({
    error: "simulation_failed",
    message: "The simulation was stopped, and its database removed.",
  });
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
}, 120_000);

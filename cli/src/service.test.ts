import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ConnectionOptions } from "../../server/src/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../../server/src/testing/test-database.ts";
import { runCli, startCli } from "./testing/run-cli.ts";

let empty: TestDatabase;
let environment: Record<string, string>;

beforeAll(async () => {
  empty = await createTestDatabase(null);
  const dataDir = await mkdtemp(join(tmpdir(), "outreach-cli-"));
  environment = { DATA_DIR: dataDir, DATABASE_URL: urlOf(empty.connection), PORT: "0", ADMIN_PORT: "0" };
});
afterAll(async () => {
  await empty.drop();
  await rm(environment.DATA_DIR!, { recursive: true });
});

function urlOf({ host = "", port, user = "", password, database = "" }: ConnectionOptions): string {
  const url = new URL(`postgres://localhost/${database}`);
  url.searchParams.set("host", host);
  url.searchParams.set("port", String(port));
  url.searchParams.set("user", user);
  if (password) url.searchParams.set("password", password);
  return url.href;
}

it("migrates once, also when several do it at the same time", async () => {
  const runs = await Promise.all([1, 2].map(() => runCli(["migrate", "--json"], environment)));
  const records = runs.map(({ status, stdout }) => {
    expect(status).toBe(0);
    return JSON.parse(stdout) as { version: number; applied: number[] };
  });
  const { version } = records[0]!;
  const all = Array.from({ length: version }, (_, index) => index + 1);
  expect(records.map(({ applied }) => applied).sort((a, b) => a.length - b.length)).toEqual([[], all]);
  expect(JSON.parse((await runCli(["migrate", "--json"], environment)).stdout)).toEqual({
    version,
    applied: [],
  });
});

it("refuses to migrate what it can't, in words", async () => {
  const away = await runCli(["migrate"], {
    ...environment,
    DATABASE_URL: "postgres://u:secret@127.0.0.1:9/x",
  });
  expect(away).toMatchObject({ status: 1, stdout: "" });
  expect(JSON.parse(away.stderr)).toEqual({
    error: "migrate_failed",
    message: "The database that DATABASE_URL names (127.0.0.1:9/x) doesn't answer: nothing listens there.",
  });
  const wrong = await runCli(["migrate"], { ...environment, PORT: "high" });
  expect(JSON.parse(wrong.stderr)).toMatchObject({ message: expect.stringContaining("PORT must be") });
});

it("serves, as npm start does", async () => {
  const child = startCli(["serve"], environment);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const exited = new Promise((resolve) => child.on("close", resolve));
  await vi.waitFor(() => expect(stdout).toContain("Outreach is running."), { timeout: 20_000 });
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
});

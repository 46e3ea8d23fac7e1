import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { environmentOf, runCli } from "./testing/run-cli.ts";

let service: TestService;
let organizationId: string;
let key: string;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  ({ organizationId, key } = await service.newOrganization());
  folder = mkdtempSync(join(tmpdir(), "outreach-campaign-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

const cli = (...words: string[]) => runCli(words, environmentOf(service));

/** Runs with --json, expects success, and returns the record. */
async function record(...words: string[]): Promise<Record<string, unknown>> {
  const run = await cli(...words, "--org", organizationId, "--json");
  expect(run).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

async function refused(...words: string[]): Promise<Record<string, unknown>> {
  const run = await cli(...words, "--org", organizationId);
  expect(run).toMatchObject({ status: 1, stdout: "" });
  return JSON.parse(run.stderr) as Record<string, unknown>;
}

async function newLead(phone_number: string): Promise<string> {
  const { body } = await service.call("/v1/leads", { key, json: { phone_number } });
  return String(body.id);
}

it("steers a campaign", async () => {
  const made = await record("campaign", "create", "--name", "Spring", "--dialer-mode", "power");
  expect(made).toMatchObject({ name: "Spring", status: "draft", dialer_mode: "power" });
  const one = ["--campaign", made.id as string];
  expect(await refused("campaign", "launch", ...one)).toMatchObject({ error: "conflict" });
  const agent = await record("agent", "create", "--name", "A", "--system-prompt", "Be kind.");
  await record("campaign", "update", ...one, "--agent", String(agent.id));
  expect(await refused("campaign", "launch", ...one)).toMatchObject({ error: "no_did_available" });
  await record("number", "add", "--number", "2125550150");
  expect(await refused("campaign", "launch", ...one)).toMatchObject({
    message: expect.stringMatching(/leads/),
  });
  await record("campaign", "attach", ...one, "--lead", await newLead("8005550100"));
  expect(await refused("campaign", "launch", ...one)).toMatchObject({ error: "insufficient_balance" });
  await record("wallet", "credit", "--tokens", "1000");
  for (const [verb, status] of [
    ["launch", "active"],
    ["pause", "paused"],
    ["resume", "active"],
    ["complete", "completed"],
  ] as const) {
    expect(await record("campaign", verb, ...one)).toMatchObject({ id: made.id, status });
  }
  expect(await refused("campaign", "cancel", ...one)).toMatchObject({ error: "conflict" });
  const paused = await record("campaign", "create", "--name", "Later", "--status", "paused");
  const list = await record("campaign", "list", "--status", "paused");
  expect(list.data).toMatchObject([{ id: paused.id }]);
});

it("takes how a campaign dials, and changes it", async () => {
  const made = await record(
    ...[
      "campaign",
      "create",
      "--name",
      "Summer",
      "--concurrency",
      "3",
      "--cps",
      "0.5",
      "--max-attempts",
      "2",
    ],
    ...["--window", "09:00-17:30", "--days", "Mon, tue,sat", "--retry", "busy=10,voicemail=60"],
    ...["--lines-per-seat", "2.5", "--require-consent"],
  );
  expect(made).toMatchObject({
    concurrency: 3,
    calls_per_second: 0.5,
    lines_per_seat: 2.5,
    max_attempts: 2,
    window: "09:00-17:30",
    days: ["mon", "tue", "sat"],
    retry_minutes: { busy: 10, no_answer: 120, voicemail: 60, network_failure: 5 },
    require_consent: true,
  });
  const update = ["campaign", "update", "--campaign", String(made.id)];
  expect(
    await record(
      ...[...update, "--name", "Autumn", "--window", "none", "--days", "none", "--concurrency", "none"],
      ...["--cps", "none", "--no-require-consent"],
    ),
  ).toMatchObject({
    name: "Autumn",
    max_attempts: 2,
    window: null,
    days: null,
    concurrency: null,
    calls_per_second: null,
    require_consent: false,
  });
  expect(await refused(...update)).toMatchObject({ error: "nothing_to_update" });
  expect(await record("campaign", "show", "--campaign", String(made.id))).toMatchObject({ name: "Autumn" });
});

it.each([
  [["--window", "17:00-09:00"], 1],
  [["--window", "9-17"], 1],
  [["--days", "mon,funday"], 1],
  [["--retry", "busy=0"], 1],
  [["--retry", "answered=5"], 1],
  [["--concurrency", "0"], 1],
  [["--cps", "0"], 1],
  [["--max-attempts", "0"], 1],
  [["--retry", "busy"], 2],
  [["--retry", "busy=soon"], 2],
  [["--cps", "fast"], 2],
  [["--concurrency", "1.5"], 2],
  [["--dialer-mode", "manual"], 2],
])("refuses %j", async (flags, status) => {
  const run = await cli("campaign", "create", "--org", organizationId, "--name", "x", ...flags);
  expect(run).toMatchObject({ status, stdout: "" });
  if (status === 1) expect(JSON.parse(run.stderr)).toMatchObject({ message: expect.any(String) });
});

it("attaches leads by id, by filter and from a CSV, and tells how far it is", async () => {
  const [one, two] = [await newLead("3125550101"), await newLead("3125550102")];
  const { id } = await record("campaign", "create", "--name", "Fill");
  const attach = ["campaign", "attach", "--campaign", String(id)];
  expect(await record(...attach, "--lead", `${one},${two}`)).toMatchObject({ attached: 2, to_dial: 2 });
  expect(await record(...attach, "--all", "--from-campaign", "none")).toMatchObject({ attached: 0 });
  const csv = join(folder, "leads.csv");
  writeFileSync(csv, "Phone\n3125550103\n");
  expect(await record(...attach, "--csv", csv, "--map", "phone_number=Phone")).toMatchObject({ inserted: 1 });
  const { id: other } = await record("campaign", "create", "--name", "Other");
  expect(
    await record("campaign", "attach", "--campaign", String(other), "--from-campaign", String(id)),
  ).toMatchObject({ attached: 3 });
  const moved = await record("campaign", "progress", "--campaign", String(id));
  expect(moved).toMatchObject({ status: "draft", leads: 0, left: 3, attempts: 0, answer_rate: null });
  expect(await record("campaign", "progress", "--campaign", String(other))).toMatchObject({
    leads: 3,
    waiting: 3,
  });
  for (const flags of [[], ["--lead", one, "--all"], ["--csv", csv, "--status", "new"]])
    expect(await cli(...attach, "--org", organizationId, ...flags)).toMatchObject({ status: 2 });
  expect(await refused(...attach, "--csv", join(folder, "none.csv"))).toMatchObject({
    error: "file_unreadable",
  });
});

it("previews a campaign, and lists its verdicts", async () => {
  const { id } = await record("campaign", "create", "--name", "Look");
  const one = ["--campaign", String(id)];
  const lead = await newLead("8005550104");
  await record("campaign", "attach", ...one, "--lead", lead);
  expect(await record("campaign", "preview", ...one)).toMatchObject({
    leads: 1,
    dialable_now: 0,
    waiting: 0,
    blocked: 1,
    by_reason: [{ reason: "timezone_unknown", count: 1 }],
  });
  expect((await cli("campaign", "preview", ...one, "--org", organizationId)).stdout).toMatch(
    /by_reason\nreason +count\ntimezone_unknown +1/,
  );
  expect(await record("campaign", "verdicts", ...one, "--lead", lead)).toMatchObject({ data: [], limit: 50 });
  expect((await cli("campaign", "verdicts", ...one, "--org", organizationId)).stdout).toBe("None.\n");
});

it("caps the attempts to a number", async () => {
  expect(await record("org", "update", "--daily-cap", "1")).toMatchObject({ daily_attempt_cap: 1 });
  expect(await record("org", "update", "--daily-cap", "none")).toMatchObject({ daily_attempt_cap: null });
  expect(await refused("org", "update", "--daily-cap", "9")).toMatchObject({ error: "invalid_request" });
});

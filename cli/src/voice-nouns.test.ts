import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { environmentOf, runCli } from "./testing/run-cli.ts";

let service: TestService;
let organizationId: string;
let key: string;

beforeAll(async () => {
  service = await startTestService({ environment: { SIP_BIND: "127.0.0.1:0" } });
  ({ organizationId, key } = await service.newOrganization());
});
afterAll(() => service.close());

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

it("adds, lists and removes numbers", async () => {
  const number = ["--number", "(415) 555-0100"];
  expect(await record("number", "add", ...number)).toMatchObject({
    phone_number: "+14155550100",
    carrier: "simulated",
    agent_id: null,
  });
  expect(await record("number", "add", "--number", "4155550101", "--carrier", "sip")).toMatchObject({
    carrier: "sip",
  });
  expect((await record("number", "list")).data).toHaveLength(2);
  expect((await record("number", "list", ...number)).data).toMatchObject([{ phone_number: "+14155550100" }]);
  expect(await record("number", "remove", ...number)).toMatchObject({ deleted: true });
  expect(await refused("number", "remove", ...number)).toMatchObject({ error: "not_found" });
  expect(await refused("number", "add", ...number, "--carrier", "pigeon")).toMatchObject({
    error: "invalid_request",
  });
  expect((await cli("number", "add", "--org", organizationId)).status).toBe(2);
  expect((await cli("number", "list", "--org", organizationId)).stdout).toContain("+14155550101");
});

it("adds, lists, tests and removes trunks", async () => {
  const flags = ["--name", "Carrier", "--uri", "sip:127.0.0.1:9", "--transport", "tcp"];
  const secret = ["--username", "alice", "--password", "s3cret", "--channels", "10", "--cps", "5"];
  const own = await record("trunk", "add", ...flags, ...secret, "--priority", "1");
  expect(own).toMatchObject({
    organization_id: organizationId,
    uri: "sip:127.0.0.1:9",
    transport: "tcp",
    username: "alice",
    channels: 10,
    cps: 5,
    priority: 1,
  });
  expect(own).not.toHaveProperty("password");
  const run = await cli("trunk", "add", "--name", "Everybody's", "--uri", "sip:127.0.0.1:9", "--json");
  const shared = JSON.parse(run.stdout) as Record<string, unknown>;
  expect(shared).toMatchObject({ organization_id: null, transport: "udp" });
  expect((await record("trunk", "list")).data).toMatchObject([{ id: own.id }, { id: shared.id }]);
  expect((await cli("trunk", "list")).stdout).toContain("Everybody's");
  expect(await record("trunk", "test", "--trunk", String(own.id))).toMatchObject({
    id: own.id,
    reachable: false,
    message: expect.stringContaining("127.0.0.1:9 over TCP"),
  });
  for (const { id } of [own, shared])
    expect(await record("trunk", "remove", "--trunk", String(id))).toMatchObject({ id, deleted: true });
  expect((await record("trunk", "test")).data).toEqual([]);
  expect(await refused("trunk", "add", "--name", "Wrong", "--uri", "http://a")).toMatchObject({
    error: "invalid_request",
  });
  expect((await cli("trunk", "remove")).status).toBe(2);
});

it("makes agents of the app, and campaigns with them", async () => {
  const agent = await record(
    "agent",
    "create",
    "--name",
    "Clara",
    "--system-prompt",
    "Be kind.",
    "--voice",
    "otto",
  );
  expect(agent).toMatchObject({
    name: "Clara",
    managed_by: "app",
    call_template: { system_prompt: "Be kind.", voice: "otto" },
  });
  expect((await record("agent", "list")).data).toMatchObject([{ id: agent.id }]);
  expect(await refused("agent", "create", "--name", "A", "--system-prompt", " ")).toMatchObject({
    error: "system_prompt_required",
  });
  expect((await cli("agent", "create", "--org", organizationId, "--name", "A")).status).toBe(2);

  const campaign = await record("campaign", "create", "--name", "Spring", "--agent", String(agent.id));
  expect(campaign).toMatchObject({ assigned_ai_agent_id: agent.id });
  const unknown = "0190f0f0-0000-7000-8000-000000000000";
  expect(await refused("campaign", "create", "--name", "Spring", "--agent", unknown)).toMatchObject({
    error: "not_found",
    message: expect.stringContaining("agent"),
  });
});

it("notes which appointments were kept, gives them to calendars, and sets the hours for them", async () => {
  const lead = await service.call("/v1/leads", { key, json: { phone_number: "4155550111" } });
  const book = async (at: string) => {
    const made = await record("appointment", "book", "--lead", String(lead.body.id), "--at", at);
    return ["--appointment", String(made.id)];
  };
  const kept = await book("2027-02-01T10:00");
  const { ics } = await record("appointment", "ics", ...kept);
  expect(ics).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect((await cli("appointment", "ics", "--org", organizationId, ...kept)).stdout).toBe(ics);
  expect(await record("appointment", "complete", ...kept)).toMatchObject({ status: "completed" });
  const missed = await book("2027-02-02T10:00");
  expect(await record("appointment", "no-show", ...missed)).toMatchObject({ status: "no_show" });
  expect(await refused("appointment", "cancel", ...missed)).toMatchObject({ error: "conflict" });

  expect(
    await record("org", "update", "--hours", "mon-tue 09:00-12:00 13:00-17:00, sat 10:00-14:00"),
  ).toMatchObject({
    appointment_hours: {
      mon: ["09:00-12:00", "13:00-17:00"],
      tue: ["09:00-12:00", "13:00-17:00"],
      sat: ["10:00-14:00"],
    },
  });
  expect(await refused("org", "update", "--hours", "mon 12:00-09:00")).toMatchObject({
    error: "invalid_request",
  });
  for (const wrong of ["", "mon", "fri-mon 09:00-10:00", "someday 09:00-10:00"])
    expect((await cli("org", "update", "--org", organizationId, "--hours", wrong)).status).toBe(2);
  expect(await record("org", "update", "--hours", "any")).toMatchObject({ appointment_hours: {} });
});

it("books, moves, lists and cancels appointments", async () => {
  const lead = await service.call("/v1/leads", { key, json: { phone_number: "4155550110" } });
  const booked = await record(
    ...["appointment", "book", "--lead", String(lead.body.id), "--at", "2027-02-01T10:00"],
    ...["--duration", "45", "--timezone", "America/Chicago"],
  );
  expect(booked).toMatchObject({
    source: "app",
    lead_id: lead.body.id,
    appointment_datetime: "2027-02-01T10:00:00.000Z",
    duration_minutes: 45,
    timezone: "America/Chicago",
  });
  const one = ["--appointment", String(booked.id)];
  expect(
    await record("appointment", "reschedule", ...one, "--at", "2027-02-02T10:00:00-08:00"),
  ).toMatchObject({
    appointment_datetime: "2027-02-02T18:00:00.000Z",
    duration_minutes: 45,
    timezone: "America/Chicago",
  });
  expect((await record("appointment", "list", "--lead", String(lead.body.id))).data).toHaveLength(1);
  expect(await record("appointment", "cancel", ...one, "--reason", "ill")).toMatchObject({
    status: "cancelled",
    cancel_reason: "ill",
  });
  expect((await record("appointment", "list", "--status", "scheduled")).data).toEqual([]);
  expect(await refused("appointment", "reschedule", ...one, "--at", "2027-02-03")).toMatchObject({
    error: "conflict",
  });
  expect(
    (await cli("appointment", "book", "--org", organizationId, "--lead", "x", "--at", "soon")).status,
  ).toBe(2);
});

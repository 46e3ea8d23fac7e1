import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_TOKEN, startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { type CliRun, environmentOf, runCli } from "./testing/run-cli.ts";

let service: TestService;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService();
  ({ organizationId } = await service.newOrganization());
});
afterAll(() => service.close());

const cli = (...words: string[]): Promise<CliRun> => runCli(words, environmentOf(service));

/** Runs with --json, expects success, and returns the record. */
async function record(...words: string[]): Promise<Record<string, unknown>> {
  const run = await cli(...words, "--json");
  expect(run).toMatchObject({ status: 0, stderr: "" });
  expect(run.stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

async function refused(...words: string[]): Promise<Record<string, unknown>> {
  const run = await cli(...words);
  expect(run).toMatchObject({ status: 1, stdout: "" });
  return JSON.parse(run.stderr) as Record<string, unknown>;
}

describe("organizations", () => {
  it("creates one with everything that can be given", async () => {
    const made = await record(
      ...["org", "create", "--name", "Blue Door", "--sandbox", "--balance", "250000", "--concurrency", "7"],
      ...["--low-balance-threshold", "5000", "--timezone", "America/Chicago"],
      ...["--phone-rate", "120", "--browser-rate", "0"],
    );
    expect(made).toMatchObject({
      name: "Blue Door",
      sandbox: true,
      balance_tokens: 250_000,
      concurrency_limit: 7,
      low_balance_threshold: 5000,
      phone_rate_per_minute: 120,
      browser_rate_per_minute: 0,
      timezone: "America/Chicago",
      status: "active",
    });
    expect(await record("org", "show", "--org", made.id as string)).toEqual(made);
    const { data } = (await record("org", "list")) as { data: unknown[] };
    expect(data).toContainEqual(made);
  });

  it("changes one", async () => {
    const { id } = await record("org", "create", "--name", "Changing");
    expect(
      await record("org", "update", "--org", id as string, "--status", "suspended", "--voice", "off"),
    ).toMatchObject({ id, status: "suspended", voice_enabled: false });
    expect(
      await record("org", "update", "--org", id as string, "--status", "active", "--concurrency", "3"),
    ).toMatchObject({ status: "active", concurrency_limit: 3 });
    expect(
      await record("org", "update", "--org", id as string, "--phone-rate", "45", "--browser-rate", "30"),
    ).toMatchObject({ phone_rate_per_minute: 45, browser_rate_per_minute: 30 });
  });
});

describe("keys", () => {
  it("are shown once, work, rotate with an overlap and stop when they are revoked", async () => {
    const made = await record(
      ...["key", "create", "--org", organizationId, "--name", "crm", "--scopes", "leads:read,account:read"],
      ...["--rate-limit", "120"],
    );
    expect(made.key).toMatch(/^service_live_[0-9a-f]{64}$/);
    expect(made).toMatchObject({ scopes: ["leads:read", "account:read"], rate_limit_per_minute: 120 });
    const works = async (key: unknown) => (await service.call("/v1/leads", { key: key as string })).status;
    expect(await works(made.key)).toBe(200);

    const rotated = await record(
      ...["key", "rotate", "--org", organizationId, "--key", made.id as string, "--overlap", "10"],
    );
    expect(rotated.id).not.toBe(made.id);
    expect(await works(made.key)).toBe(200);
    expect(await works(rotated.key)).toBe(200);

    await record("key", "revoke", "--org", organizationId, "--key", rotated.id as string);
    expect(await works(rotated.key)).toBe(401);
    const listed = await cli("key", "list", "--org", organizationId, "--json");
    expect(listed.stdout).toContain(rotated.id as string);
    expect(listed.stdout).not.toContain(rotated.key as string);
  });

  it("has every scope unless some are named, and may be expired from the start", async () => {
    const made = await record(
      ...["key", "create", "--org", organizationId, "--name", "old", "--expires", "2020-01-31"],
    );
    expect(made.scopes).toContain("webhooks:manage");
    expect(made.expires_at).toBe("2020-01-31T00:00:00.000Z");
    const answer = await service.call("/v1/leads", { key: made.key as string });
    expect(answer.body).toMatchObject({ error: "expired_api_key" });
  });

  it("an unknown scope is the service's refusal", async () => {
    expect(
      await refused("key", "create", "--org", organizationId, "--name", "x", "--scopes", "leads:fly"),
    ).toMatchObject({ error: "unknown_scope:leads:fly" });
  });
});

it("credits and debits a wallet", async () => {
  await record("wallet", "credit", "--org", organizationId, "--tokens", "2000", "--note", "hello");
  await record("wallet", "credit", "--org", organizationId, "--tokens", "-500");
  const wallet = await record("wallet", "show", "--org", organizationId);
  expect(wallet).toMatchObject({ balance: 1500 });
  expect(wallet.entries).toMatchObject([{ tokens: -500 }, { tokens: 2000, note: "hello" }]);
  expect(await refused("wallet", "credit", "--org", organizationId, "--tokens", "-5000")).toMatchObject({
    error: "insufficient_balance",
  });
});

it("keeps a do-not-call list", async () => {
  const number = ["--org", organizationId, "--number", "(212) 555-0134"];
  expect(await record("dnc", "check", ...number)).toMatchObject({ listed: false });
  expect(await record("dnc", "add", ...number, "--reason", "asked")).toMatchObject({
    phone_number: "+12125550134",
    reason: "asked",
    added_by: `cli:${userInfo().username}`,
  });
  expect(await record("dnc", "check", ...number)).toMatchObject({ listed: true });
  expect((await record("dnc", "list", "--org", organizationId)).data).toHaveLength(1);
  expect(await record("dnc", "remove", ...number, "--reason", "a mistake")).toMatchObject({ deleted: true });
  expect((await record("audit", "list", "--org", organizationId)).data).toContainEqual(
    expect.objectContaining({
      action: "dnc_entry.removed",
      details: expect.objectContaining({ reason: "a mistake" }),
    }),
  );
  expect(await refused("dnc", "remove", ...number)).toMatchObject({ error: "not_found" });
});

it("tells whether a number may be called", async () => {
  const check = (...flags: string[]) => record("compliance", "check", "--org", organizationId, ...flags);
  expect(await check("--number", "(212) 555-0135", "--at", "2027-01-05T17:00:00Z")).toMatchObject({
    phone_number: "+12125550135",
    allowed: true,
    rule_id: "us-hours",
    zones: [{ timezone: "America/New_York", local_time: "2027-01-05T12:00:00" }],
    states: ["NY"],
  });
  await record("dnc", "add", "--org", organizationId, "--number", "2125550135");
  expect(await check("--number", "2125550135")).toMatchObject({ allowed: false, reason: "dnc" });
  expect(await refused("compliance", "check", "--org", organizationId, "--number", "12")).toMatchObject({
    error: "invalid_phone_number",
  });
});

it("manages members", async () => {
  const made = await record(
    ...["member", "add", "--org", organizationId, "--email", "Ada@Example.com", "--role", "owner"],
  );
  expect(made).toMatchObject({ email_address: "ada@example.com", role: "owner", name: null });
  const one = ["--org", organizationId, "--member", made.id as string];
  const other = await record(
    ...["member", "add", "--org", organizationId, "--email", "bob@example.com", "--role", "owner"],
  );
  expect(await record("member", "update", ...one, "--name", "Ada", "--role", "admin")).toMatchObject({
    name: "Ada",
    role: "admin",
  });
  expect((await record("member", "list", "--org", organizationId)).data).toHaveLength(2);
  expect(await record("member", "remove", ...one)).toMatchObject({ deleted: true });
  expect((await record("member", "list", "--org", organizationId)).data).toMatchObject([{ id: other.id }]);
});

it("names who did what in the audit log", async () => {
  const { data } = (await record("audit", "list", "--org", organizationId)) as { data: unknown[] };
  expect(data).toContainEqual(
    expect.objectContaining({ actor: `cli:${userInfo().username}`, action: "api_key.created" }),
  );
});

describe("without --json", () => {
  it("shows a record as lines and a list as a table", async () => {
    const shown = await cli("org", "show", "--org", organizationId);
    expect(shown.stdout).toMatch(new RegExp(`^id +${organizationId}$`, "m"));
    const list = await cli("org", "list");
    expect(list.stdout).toMatch(/^id +name +status/);
    expect(list.stdout).toContain(organizationId);
  });
});

describe("exit status 2: bad usage", () => {
  it.each([
    [["org"]],
    [["org", "destroy"]],
    [["nonsense"]],
    [["org", "create"]],
    [["org", "create", "--name"]],
    [["org", "create", "--name", "x", "--colour", "red"]],
    [["org", "create", "--name", "x", "--balance", "many"]],
    [["org", "create", "--name", "x", "--balance", "1.5"]],
    [["org", "create", "--name", "x", "extra"]],
    [["org", "update", "--org", "x", "--status", "asleep"]],
    [["org", "update", "--org", "x", "--voice", "maybe"]],
    [["key", "create", "--org", "x", "--name", "y", "--expires", "tomorrow"]],
    [["key", "create", "--org", "x", "--name", "y", "--expires", "2026-02-28T25:00"]],
    [["key", "create", "--org", "x", "--name", "y", "--expires", "2027-02-29"]],
    [["appointment", "book", "--org", "x", "--lead", "y", "--at", "2026-02-30T10:00:00-05:00"]],
    [["simulate", "--start", "2026-02-30"]],
    [["campaign", "create", "--org", "x", "--name", "y", "--status", "running"]],
    [["deliveries", "list", "--org", "x", "--state", "lost"]],
    [["listen", "--port", "70000"]],
    [["listen", "--key", "a", "--org", "b"]],
  ])("%j", async (words) => {
    const run = await cli(...words);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).not.toBe("");
  });

  it("an ADMIN_URL that isn't one", async () => {
    const run = await runCli(["org", "list"], { ADMIN_URL: "nowhere", ADMIN_TOKEN: "x" });
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toContain("ADMIN_URL");
  });
});

describe("exit status 1: a refusal, its envelope on stderr", () => {
  it("of the service", async () => {
    expect(await refused("org", "show", "--org", "nonsense")).toMatchObject({
      error: "invalid_request",
      request_id: expect.any(String),
    });
    expect(await refused("wallet", "show", "--org", "0190b5a0-0000-7000-8000-000000000000")).toMatchObject({
      error: "organization_not_found",
    });
  });

  it("a wrong token", async () => {
    const run = await runCli(["org", "list"], { ADMIN_URL: service.adminUrl, ADMIN_TOKEN: "wrong" });
    expect(run.status).toBe(1);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: "unauthenticated" });
  });

  it("a service that isn't there", async () => {
    const run = await runCli(["org", "list"], { ADMIN_URL: "http://127.0.0.1:9", ADMIN_TOKEN: "x" });
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: "unreachable",
      message: expect.stringContaining("http://127.0.0.1:9"),
    });
  });

  it("something that isn't Outreach", async () => {
    const other = createServer((_, response) => response.end("<h1>hello</h1>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const run = await runCli(["org", "list"], { ADMIN_PORT: String(port), ADMIN_TOKEN: "x" });
    other.close();
    expect(run.status).toBe(1);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: "unexpected_answer" });
  });
});

describe("the operator token", () => {
  it("comes from DATA_DIR, or from ./data", async () => {
    const folder = await mkdtemp(join(tmpdir(), "outreach-cli-"));
    try {
      const { ADMIN_URL } = environmentOf(service) as { ADMIN_URL: string };
      const elsewhere = join(folder, "elsewhere");
      const missing = await runCli(["org", "list", "--json"], { ADMIN_URL, DATA_DIR: elsewhere });
      expect(missing.status).toBe(1);
      expect(JSON.parse(missing.stderr)).toMatchObject({ error: "no_operator_token" });

      for (const data of [elsewhere, join(folder, "data")]) {
        await mkdir(data);
        await writeFile(join(data, "admin.token"), `${OPERATOR_TOKEN}\n`);
      }
      expect(await runCli(["org", "list"], { ADMIN_URL, DATA_DIR: elsewhere })).toMatchObject({ status: 0 });
      expect(await runCli(["org", "list"], { ADMIN_URL }, folder)).toMatchObject({ status: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

it("--help is no mistake", async () => {
  for (const words of [["--help"], ["org", "--help"], ["org", "create", "--help"]]) {
    const run = await cli(...words);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toContain("Usage: outreach");
  }
});

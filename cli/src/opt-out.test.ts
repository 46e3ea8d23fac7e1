import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { environmentOf, runCli } from "./testing/run-cli.ts";

let service: TestService;
let organizationId: string;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  ({ organizationId } = await service.newOrganization());
  folder = await mkdtemp(join(tmpdir(), "outreach-dnc-"));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const cli = (...words: string[]) => runCli(words, environmentOf(service));

/** Runs with --json, expects success, and returns the record. */
async function record(...words: string[]): Promise<Record<string, unknown>> {
  const run = await cli(...words, "--json");
  expect(run).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

it("tells what the rules make of an utterance", async () => {
  const test = (text: string, ...flags: string[]) => record("optout", "test", "--text", text, ...flags);
  expect(await test("Stop.")).toEqual({ opt_out: true, matched: "stop" });
  expect(await test("Cancel my appointment")).toEqual({ opt_out: false, matched: null });
  expect(await test("CANCEL", "--channel", "text")).toEqual({ opt_out: true, matched: "cancel" });
  expect(await test("stop", "--speaker", "machine")).toEqual({ opt_out: false, matched: null });
  expect(await test("")).toEqual({ opt_out: false, matched: null });
  expect((await cli("optout", "test", "--text", "stop", "--channel", "mail")).status).toBe(2);
});

it("hands in a text, which lists its sender", async () => {
  const text = ["text", "receive", "--org", organizationId, "--to", "2125550100"];
  expect(await record(...text, "--from", "(212) 555-0134", "--body", "please remove me")).toMatchObject({
    from_number: "+12125550134",
    to_number: "+12125550100",
    opt_out: true,
    matched: "remove",
  });
  expect(await record(...text, "--from", "2125550135", "--body", "Yes, tomorrow")).toMatchObject({
    opt_out: false,
  });
  expect((await record("text", "list", "--org", organizationId)).data).toHaveLength(2);
  const number = ["--org", organizationId, "--number", "2125550134"];
  expect(await record("dnc", "check", ...number)).toMatchObject({ listed: true, entry: { source: "text" } });
});

it("brings a do-not-call list in from a file, and out again", async () => {
  const file = join(folder, "numbers.csv");
  await writeFile(file, "phone_number,reason\n2125550150,asked\n2125550151,\nnone,\n");
  const bring = (path: string) => ["dnc", "import", "--org", organizationId, "--file", path];
  expect(await record(...bring(file), "--reason", "old list")).toMatchObject({
    total: 3,
    added: 2,
    failed: 1,
  });
  const out = await cli("dnc", "export", "--org", organizationId);
  expect(out.stdout).toMatch(/^phone_number,reason,source,added_by,created_at\r\n/);
  expect(out.stdout).toContain("+12125550150,asked,import,");
  expect(out.stdout).toContain("+12125550151,old list,import,");
  expect((await record("dnc", "export", "--org", organizationId)).csv).toBe(out.stdout);

  const missing = await cli(...bring(join(folder, "none.csv")));
  expect(missing).toMatchObject({ status: 1, stdout: "" });
  expect(JSON.parse(missing.stderr)).toMatchObject({ error: "file_unreadable" });
  const unknown = await cli("dnc", "export", "--org", "0190f0f0-0000-7000-8000-000000000000");
  expect(JSON.parse(unknown.stderr)).toMatchObject({ error: "organization_not_found" });
});

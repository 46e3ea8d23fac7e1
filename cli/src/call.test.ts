import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../server/src/clock.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../../server/src/testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { environmentOf, runCli } from "./testing/run-cli.ts";

let plane: FakeVoicePlane;
let service: TestService;
let organizationId: string;
let key: string;
beforeAll(async () => {
  plane = fakeVoicePlane(systemClock());
  service = await startTestService({ service: { voice: { plane, drainMs: 0 } } });
  ({ organizationId, key } = await service.newOrganization());
});
afterAll(() => service.close());

const cli = async (...words: string[]) => {
  const run = await runCli([...words, "--org", organizationId, "--json"], environmentOf(service));
  return { status: run.status, record: JSON.parse(run.stdout || run.stderr) as Record<string, unknown> };
};

it("shows, lists and hangs up calls", async () => {
  await cli("wallet", "credit", "--tokens", "1000");
  const json = { medium: "browser", system_prompt: "Be kind." };
  const id = String((await service.call("/v1/calls", { key, json })).body.id);
  await plane.last().answer();
  await plane.last().say("agent", "Hello.");

  expect((await cli("call", "list", "--live")).record.data).toMatchObject([{ id, status: "in-progress" }]);
  expect(await cli("call", "show", "--call", id)).toMatchObject({
    status: 0,
    record: { id, held_tokens: 60, verdict: null, turns: [{ text: "Hello." }], ledger_entries: [] },
  });
  expect(await cli("call", "hangup", "--call", id)).toMatchObject({
    status: 0,
    record: { id, status: "completed", ledger_entries: [{ kind: "call" }] },
  });
  expect(await cli("call", "hangup", "--call", id)).toMatchObject({
    status: 1,
    record: { error: "call_already_ended" },
  });
  expect((await cli("call", "list", "--live")).record.data).toEqual([]);
  expect(
    (await cli("call", "list", "--status", "completed", "--medium", "browser")).record.data,
  ).toHaveLength(1);
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

/** The service killed for real in the middle of a recorded call. */

let dataDir: string;
let service: ServiceProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "outreach-call-crash-"));
  service = await startServiceProcess({ DATA_DIR: dataDir });
}, 90_000);
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function until<T>(look: () => Promise<T | null>, withinMs: number): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`It didn't happen within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it("a call whose process was killed ends within a minute: settled once, with what was said and recorded", async () => {
  const { organizationId, key } = await service.newOrganization();
  const organization = `/organizations/${organizationId}`;
  await service.admin(`${organization}/wallet/credits`, { tokens: 1_000 });
  await service.admin(`${organization}/numbers`, { phone_number: "4155550199" });
  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`${service.publicUrl}/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const { id } = await call("/calls", {
    medium: "phone",
    to_number: "4155550110",
    system_prompt: "Be kind.",
    greeting: "Hello, this is Ada.",
    recording_enabled: true,
  });
  // Somebody has spoken, and been recorded.
  const turns = await until(async () => {
    const transcript = await call(`/calls/${id}/transcript`);
    return (transcript.turns as unknown[]).length >= 3 ? (transcript.turns as unknown[]) : null;
  }, 60_000);
  await service.kill();

  const killedAt = performance.now();
  service = await startServiceProcess({
    DATA_DIR: dataDir,
    PORT: new URL(service.publicUrl).port,
    ADMIN_PORT: new URL(service.adminUrl).port,
  });
  const ended = await until(async () => {
    const record = await call(`/calls/${id}`);
    return record.ended_at === null ? null : record;
  }, 60_000);
  expect(performance.now() - killedAt).toBeLessThan(60_000);

  expect(ended).toMatchObject({ status: "failed", call_outcome: "failed", transcript_status: "ready" });
  const answered = Date.parse(String(ended.answered_at));
  const cost = Math.ceil((Math.ceil((Date.parse(String(ended.ended_at)) - answered) / 1000) * 90) / 60);
  const held = 90;
  expect(ended.cost_tokens).toBe(Math.min(cost, held));
  expect(await service.admin(`${organization}/wallet`)).toMatchObject({
    balance: 1_000 - Number(ended.cost_tokens),
    held: 0,
  });
  const transcript = await call(`/calls/${id}/transcript`);
  expect((transcript.turns as unknown[]).slice(0, turns.length)).toEqual(turns);

  // The recorder's last buffer may be lost with the process, and nothing before it.
  const location = await until(async () => {
    const response = await fetch(`${service.publicUrl}/v1/calls/${id}/recording`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${key}` },
    });
    return response.headers.get("location");
  }, 90_000);
  const link = new URL(location);
  const audio = Buffer.from(
    await (await fetch(service.publicUrl + link.pathname + link.search)).arrayBuffer(),
  );
  expect(audio.subarray(0, 4).toString()).toBe("RIFF");
  expect(audio.readUInt32LE(4)).toBe(audio.length - 8);
  expect(audio.length).toBeGreaterThan(2 * 16_000);
}, 240_000);

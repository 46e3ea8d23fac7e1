import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";

/** What happens to calls between processes, and to their money whatever happens. */

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

async function voiceProcess(clock?: ManualClock, environment: Record<string, string> = {}) {
  const ownClock = clock ?? manualClock();
  const plane = fakeVoicePlane(ownClock);
  const app = await startTestService({
    testDatabase,
    clock: ownClock,
    environment,
    service: { voice: { plane, drainMs: 0 } },
  });
  return { app, plane, clock: ownClock };
}

async function funded(app: TestService, tokens: number) {
  const one = await app.newOrganization();
  const path = `/private/v1/organizations/${one.organizationId}`;
  await app.callPrivate(`${path}/wallet/credits`, { json: { tokens } });
  await app.callPrivate(path, { method: "PATCH", json: { concurrency_limit: 100 } });
  return { ...one, wallet: async () => (await app.callPrivate(`${path}/wallet`)).body };
}

const json = { medium: "browser", system_prompt: "x" };

it("are hung up by a process that doesn't run them", async () => {
  const owner = await voiceProcess();
  const other = await voiceProcess(owner.clock, { ROLES: "api,admin" });
  try {
    const { key } = await funded(owner.app, 1_000);
    const { id } = (await owner.app.call("/v1/calls", { key, json })).body;
    await owner.plane.last().answer();
    const answer = await other.app.call(`/v1/calls/${id}/hangup`, { key, method: "POST" });
    expect(answer).toMatchObject({ status: 200, body: { id, status: "completed" } });
  } finally {
    await other.app.close();
    await owner.app.close();
  }
});

it("end when their process is shut down, and are stored before it ends", async () => {
  const reader = await voiceProcess();
  const going = await voiceProcess(reader.clock);
  try {
    const { key } = await funded(going.app, 1_000);
    const { id } = (await going.app.call("/v1/calls", { key, json })).body;
    await going.plane.last().answer();
    reader.clock.advance(30_000);
    await going.app.close();
    expect((await reader.app.call(`/v1/calls/${id}`, { key })).body).toMatchObject({
      status: "failed",
      end_reason: "The service was shut down.",
      duration: 30,
      cost_tokens: 30,
    });
  } finally {
    await reader.app.close();
  }
});

it("are ended by the janitor where no process that runs calls is left", async () => {
  const owner = await voiceProcess();
  const keeper = await voiceProcess(owner.clock, { ROLES: "api,admin,janitor" });
  try {
    const { key, wallet } = await funded(keeper.app, 1_000);
    const { id } = (await owner.app.call("/v1/calls", { key, json })).body;
    owner.plane.last().vanish();
    await owner.app.close();
    expect(await wallet()).toMatchObject({ held: 60 });
    keeper.clock.advance(60_000);
    await expect
      .poll(async () => (await keeper.app.call(`/v1/calls/${id}`, { key })).body)
      .toMatchObject({ status: "failed", end_reason: "The process that ran the call stopped." });
    expect(await wallet()).toMatchObject({ balance: 1_000, held: 0 });
  } finally {
    await keeper.app.close();
  }
});

it("neither lose nor invent a token, however starts, answers, minutes, ends and crashes interleave", async () => {
  const clock = manualClock();
  const one = await voiceProcess(clock);
  const two = await voiceProcess(clock);
  const pick = fc.nat({ max: 7 });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("start" as const), process: fc.nat({ max: 1 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("answer" as const), call: pick }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("extend" as const), call: pick }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("end" as const, "endTwice" as const, "crash" as const),
        call: pick,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("pass" as const), seconds: fc.integer({ min: 0, max: 90 }) }),
    },
  );
  const WAVE = 4;
  let charged = 0;
  const settle = () => new Promise((resolve) => setTimeout(resolve, 15));
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 12, maxLength: 40 }),
        fc.integer({ min: 50, max: 700 }),
        async (steps, tokens) => {
          const { key, wallet, organizationId } = await funded(one.app, tokens);
          const calls: ReturnType<typeof one.plane.last>[] = [];
          const run = (among: typeof steps) =>
            Promise.all(
              among.map(async (what) => {
                // Not awaited one by one: what can run at the same time does.
                if (what.kind === "pass") return void clock.advance(what.seconds * 1_000);
                if (what.kind === "start") {
                  const { app, plane } = what.process === 0 ? one : two;
                  const { status, body } = await app.call("/v1/calls", { key, json });
                  expect([201, 402]).toContain(status);
                  const started = plane.calls.find(({ callId }) => callId === body.id);
                  if (started) calls.push(started);
                  return;
                }
                const call = calls[what.call % calls.length];
                if (!call) return;
                // What comes too late is refused; the money must be right all the same.
                const late = () => undefined;
                if (what.kind === "answer" && call.status() === "initiating") await call.answer().catch(late);
                if (what.kind === "extend") await call.ports.extendHold();
                if (what.kind === "crash") call.vanish();
                if (what.kind === "end" || what.kind === "endTwice") await call.end().catch(late);
                if (what.kind === "endTwice")
                  await call.ports
                    .ended({
                      status: "failed",
                      outcome: "failed",
                      reason: "again",
                      at: clock.now(),
                      answeredAt: null,
                      recordingBytes: null,
                    })
                    .catch(late);
              }),
            );
          // Some at a time: those of one wave run at once, the next one meets what they have left.
          for (let at = 0; at < steps.length; at += WAVE) await run(steps.slice(at, at + WAVE));
          // Those that run are ended; the rest belongs to processes that are gone.
          await Promise.all(
            calls
              .filter(({ callId }) => one.plane.find(callId) ?? two.plane.find(callId))
              .map((call) => call.end()),
          );
          for (let round = 0; round < 200 && (await liveCalls(organizationId)) > 0; round++) {
            clock.advance(5_000);
            await settle();
          }
          const rows = await one.app.database.query<{ id: string; cost_tokens: number; ended_at: string }>({
            text: "SELECT id, cost_tokens, ended_at FROM calls WHERE organization_id = $1",
            values: [organizationId],
          });
          const spent = rows.reduce((sum, row) => sum + row.cost_tokens, 0);
          expect(rows.every((row) => row.ended_at !== null)).toBe(true);
          expect(await wallet()).toMatchObject({
            balance: tokens - spent,
            held: 0,
            available: tokens - spent,
          });
          expect(spent).toBeLessThanOrEqual(tokens);
          charged += spent;
          const [ledger] = await one.app.database.query<{ sum: number; wallet: number; captured: number }>({
            text: `SELECT coalesce(sum(amount), 0) AS sum, coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0) AS wallet,
                   (SELECT coalesce(sum(captured), 0) FROM call_holds WHERE organization_id = $1) AS captured
                 FROM ledger_entries WHERE organization_id = $1`,
            values: [organizationId],
          });
          expect(ledger).toEqual({ sum: 0, wallet: tokens - spent, captured: spent });
        },
      ),
      { numRuns: 40 },
    );
    // It looked at something.
    expect(charged).toBeGreaterThan(200);
  } finally {
    await one.app.close();
    await two.app.close();
  }

  async function liveCalls(organizationId: string): Promise<number> {
    const [row] = await one.app.database.query<{ live: number }>({
      text: "SELECT count(*)::int AS live FROM calls WHERE organization_id = $1 AND ended_at IS NULL",
      values: [organizationId],
    });
    return row!.live;
  }
}, 120_000);

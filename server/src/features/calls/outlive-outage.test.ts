import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { CallNotLive, outliveOutages } from "./outlive-outage.ts";

const quiet = { warn() {} };
const AWAY = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

describe("a time without the database", () => {
  it("is outlived, and what is tried again knows so", async () => {
    const outlive = outliveOutages(quiet, "call", [1, 1, 1]);
    const tries: boolean[] = [];
    const stored = await outlive(async (again) => {
      tries.push(again);
      if (tries.length < 4) throw AWAY;
      return "stored";
    });
    expect(stored).toBe("stored");
    expect(tries).toEqual([false, true, true, true]);
  });

  it("that lasts too long costs what follows one try each, until it is over", async () => {
    const outlive = outliveOutages(quiet, "call", [1, 1]);
    let tries = 0;
    const fail = () => {
      tries++;
      return Promise.reject(AWAY);
    };
    await expect(outlive(fail)).rejects.toBe(AWAY);
    expect(tries).toBe(3);
    await expect(outlive(fail)).rejects.toBe(AWAY);
    expect(tries).toBe(4);
    await outlive(async () => undefined);
    await expect(outlive(fail)).rejects.toBe(AWAY);
    expect(tries).toBe(7);
  });

  it.each([new CallNotLive("over"), Object.assign(new Error("NUL in a text"), { code: "22021" })])(
    "isn't what %s is taken for",
    async (error) => {
      let tries = 0;
      await expect(
        outliveOutages(
          quiet,
          "call",
          [1, 1],
        )(() => {
          tries++;
          return Promise.reject(error);
        }),
      ).rejects.toBe(error);
      expect(tries).toBe(1);
    },
  );
});

describe("a call whose connection to the database breaks", () => {
  let app: TestService;
  let plane: FakeVoicePlane;
  let clock: ManualClock;
  let organizationId: string;
  let key: string;
  beforeAll(async () => {
    clock = manualClock();
    plane = fakeVoicePlane(clock);
    app = await startTestService({ clock, service: { voice: { plane, drainMs: 0 } } });
    ({ organizationId, key } = await app.newOrganization());
    const path = `/private/v1/organizations/${organizationId}/wallet/credits`;
    await app.callPrivate(path, { json: { tokens: 10_000 } });
  });
  afterAll(() => app.close());

  /** Breaks the connection on which `work` waits for the table, does `meanwhile`, and lets it try again. */
  const broken = async (table: string, work: () => Promise<unknown>, meanwhile?: () => Promise<unknown>) => {
    const done = await app.database.transaction(async (transaction) => {
      await transaction.query({ text: `LOCK TABLE ${table} IN SHARE MODE` });
      const working = work();
      working.catch(() => {});
      // Of another connection: what runs is read once in a transaction.
      const cut = () =>
        app.database.query<{ cut: boolean }>({
          text: `SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%${table}%'`,
        });
      await expect.poll(cut, { timeout: 15_000 }).not.toEqual([]);
      await meanwhile?.();
      return () => working;
    });
    return done();
  };
  const answeredCall = async () => {
    const { body } = await app.call("/v1/calls", { key, json: { medium: "browser", system_prompt: "x" } });
    const call = plane.last();
    await call.ring();
    return { id: String(body.id), call };
  };
  const read = async (id: string, more = "") => (await app.call(`/v1/calls/${id}${more}`, { key })).body;

  it("is answered all the same, and loses no word", async () => {
    const { id, call } = await answeredCall();
    await broken("call_transitions", () => call.answer());
    expect(await read(id)).toMatchObject({ status: "in-progress" });
    await broken("call_turns", () => call.say("user", "Hello?"));
    await call.end();
    expect(await read(id, "/transcript")).toMatchObject({ turns: [{ text: "Hello?" }] });
  });

  it("goes on when only the answer was lost, and not when it has ended meanwhile", async () => {
    const set = (id: string, assignment: string) =>
      app.database.query({
        text: `UPDATE calls SET ${assignment} WHERE organization_id = $1 AND id = $2`,
        values: [organizationId, id],
      });
    const stored = await answeredCall();
    await broken(
      "call_transitions",
      () => stored.call.answer(),
      () => set(stored.id, "status = 'in-progress', answered_at = now()"),
    );
    await stored.call.end();

    const ended = await answeredCall();
    const answering = broken(
      "call_transitions",
      () => ended.call.answer(),
      () => set(ended.id, "ended_at = now()"),
    );
    await expect(answering).rejects.toThrow("isn't live");
  });
});

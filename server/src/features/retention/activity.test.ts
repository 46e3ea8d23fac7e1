import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../database/database.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { createActivityTracker, GATHER_MS } from "./activity.ts";

describe("key use", () => {
  let app: TestService;
  let clock: ManualClock;
  beforeAll(async () => {
    clock = manualClock();
    // Without the roles that would note uses themselves.
    app = await startTestService({ clock, environment: { ROLES: "admin" } });
  });
  afterAll(() => app.close());

  const instant = (at: number) => new Date(at).toISOString();
  const stored = async ({ organizationId, keyId }: { organizationId: string; keyId: string }) => {
    const [row] = await app.database.query<{ key: string | null; organization: string }>({
      text: `SELECT k.last_used_at AS key, o.last_api_activity_at AS organization
             FROM api_keys k JOIN organizations o USING (organization_id) WHERE organization_id = $1 AND id = $2`,
      values: [organizationId, keyId],
    });
    return row!;
  };
  /** The database, with its statements counted and, when told so, failing. */
  const watched = () => {
    const state = { statements: 0, failing: false };
    const database: Database = {
      ...app.database,
      query(statement) {
        state.statements++;
        return state.failing ? Promise.reject(new Error("away")) : app.database.query(statement);
      },
    };
    return { state, database };
  };

  it("writes what it gathered in a minute in one statement, and nothing on the request's path", async () => {
    const made = [await app.newOrganization(), await app.newOrganization()];
    const { state, database } = watched();
    const tracker = createActivityTracker({ database, clock, onError: expect.unreachable });
    const madeAt = instant(clock.now());
    for (let i = 0; i < 50; i++) {
      clock.advance(1000);
      for (const caller of made) tracker.used(caller);
    }
    const usedAt = instant(clock.now());
    expect(state.statements).toBe(0);
    expect(await stored(made[0]!)).toEqual({ key: null, organization: madeAt });
    clock.advance(GATHER_MS);
    // Whoever flushes waits for the write that is under way.
    await tracker.flush();
    expect(state.statements).toBe(1);
    for (const caller of made) expect(await stored(caller)).toEqual({ key: usedAt, organization: usedAt });
    clock.advance(10 * GATHER_MS);
    await tracker.close();
    expect(state.statements).toBe(1);
  });

  it("writes the rest when it is closed, and leaves no timer", async () => {
    const caller = await app.newOrganization();
    const pending = clock.pending();
    const tracker = createActivityTracker({ database: app.database, clock, onError: expect.unreachable });
    clock.advance(5);
    tracker.used(caller);
    expect(clock.pending()).toBe(pending + 1);
    await tracker.close();
    expect(clock.pending()).toBe(pending);
    expect((await stored(caller)).key).toBe(instant(clock.now()));
  });

  it("keeps what it could not write, and tries again a minute later", async () => {
    const caller = await app.newOrganization();
    const { state, database } = watched();
    const errors: unknown[] = [];
    const tracker = createActivityTracker({ database, clock, onError: (error) => errors.push(error) });
    state.failing = true;
    tracker.used(caller);
    const usedAt = instant(clock.now());
    clock.advance(GATHER_MS);
    await expect.poll(() => errors.length).toBe(1);
    state.failing = false;
    clock.advance(GATHER_MS);
    await tracker.close();
    expect(await stored(caller)).toEqual({ key: usedAt, organization: usedAt });
  });

  it("never sets a time back", async () => {
    const caller = await app.newOrganization();
    const late = createActivityTracker({ database: app.database, clock, onError: expect.unreachable });
    late.used(caller);
    clock.advance(30_000);
    const prompt = createActivityTracker({ database: app.database, clock, onError: expect.unreachable });
    prompt.used(caller);
    await prompt.close();
    await late.close();
    expect(await stored(caller)).toEqual({ key: instant(clock.now()), organization: instant(clock.now()) });
  });

  it("is noted for every admitted request, and written when the service ends", async () => {
    const caller = await app.newOrganization({ sandbox: true });
    const service = await startTestService({ clock, testDatabase: app.testDatabase });
    clock.advance(1000);
    expect(await service.call("/v1/account", { key: caller.key })).toMatchObject({ status: 200 });
    await service.close();
    expect((await stored(caller)).key).toBe(instant(clock.now()));
  });
});

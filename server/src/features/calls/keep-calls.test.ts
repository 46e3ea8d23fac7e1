import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../database/database.ts";
import { idsFrom } from "../../ids.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import type { Worker } from "../../workers/worker.ts";
import { startRecovery } from "./keep-calls.ts";

const START = Date.UTC(2026, 0, 5, 12);
/** Every lease of a call that was started at `START` has run out by then. */
const LATER = START + 60_000;

/** A recovery of its own, whose clock has gone on while the service's stands still. */
describe("recovering calls", () => {
  let app: TestService;
  let plane: FakeVoicePlane;
  let clock: ManualClock;
  let key: string;
  let organizationId: string;
  let recovery: Worker | undefined;
  const errors: string[] = [];

  beforeAll(async () => {
    const still = manualClock(START);
    plane = fakeVoicePlane(still);
    app = await startTestService({ clock: still, service: { voice: { plane, drainMs: 0 } } });
    ({ key, organizationId } = await app.newOrganization());
    await app.callPrivate(`/private/v1/organizations/${organizationId}/wallet/credits`, {
      json: { tokens: 10_000 },
    });
  });
  afterEach(async () => {
    await recovery?.stop();
    errors.length = 0;
  });
  afterAll(() => app.close());

  const start = async () => {
    const json = { medium: "browser", system_prompt: "x" };
    expect(await app.call("/v1/calls", { key, json })).toMatchObject({ status: 201 });
    return plane.last();
  };
  const statusOf = async (id: string) => (await app.call(`/v1/calls/${id}`, { key })).body.status;
  /** @param running the calls that the recovering process runs itself */
  const recover = (running: string[], database: Database = app.database) => {
    clock = manualClock(LATER);
    recovery = startRecovery({
      clock,
      newId: idsFrom(clock),
      database,
      config: app.config,
      deliveriesQueued() {},
      logger: { error: (_: object, message: string) => errors.push(message), warn() {} },
      recordings: { repair: async () => null },
      callMetrics: { ended() {} },
      settleAttempt: async () => {},
      voice: { plane: { running: () => running }, between: new Set() },
    } as unknown as Parameters<typeof startRecovery>[0]);
  };

  it("leaves alone what runs here, however late its lease is", async () => {
    const [own, lost] = [await start(), await start()];
    recover([own.callId]);
    await expect.poll(() => statusOf(lost.callId), { timeout: 15_000 }).toBe("failed");
    expect(await statusOf(own.callId)).toBe("initiating");
    await own.end();
  });

  it("isn't stopped by a call that can't be recovered", async () => {
    const [broken, lost] = [await start(), await start()];
    const values = [organizationId, broken.callId];
    await app.database.query({
      text: "UPDATE calls SET lease_until = lease_until - interval '1 hour' WHERE organization_id = $1 AND id = $2",
      values,
    });
    await app.database.query({
      text: "DELETE FROM call_holds WHERE organization_id = $1 AND call_id = $2",
      values,
    });
    recover([]);
    await expect.poll(() => statusOf(lost.callId), { timeout: 15_000 }).toBe("failed");
    expect(errors).toContain("a call couldn't be recovered");
    await app.database.query({ text: "DELETE FROM calls WHERE organization_id = $1 AND id = $2", values });
  });

  it("gives everybody time to renew their leases after the database was away", async () => {
    const call = await start();
    let away = true;
    let looks = 0;
    recover([], {
      ...app.database,
      query(statement) {
        if (away) return Promise.reject(new Error("the database is away"));
        looks++;
        return app.database.query(statement);
      },
    });
    await expect.poll(() => errors, { timeout: 15_000 }).toContain("recovering calls failed");
    away = false;
    await expect.poll(() => looks, { timeout: 15_000 }).toBe(1);
    expect(await statusOf(call.callId)).toBe("initiating");
    // Its process was gone after all.
    await expect
      .poll(
        async () => {
          clock.advance(1_000);
          return statusOf(call.callId);
        },
        { timeout: 15_000 },
      )
      .toBe("failed");
  });
});

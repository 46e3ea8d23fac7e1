import { randomUUID } from "node:crypto";
import fc from "fast-check";
import pino, { type Logger } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../database/database.ts";
import { idsFrom, type NewId } from "../../ids.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { startJanitor } from "./janitor.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("the janitor", () => {
  let app: TestService;
  let clock: ManualClock;
  let newId: NewId;
  beforeAll(async () => {
    clock = manualClock();
    newId = idsFrom(clock);
    // A service without a janitor of its own, and without a dispatcher that would take the deliveries.
    app = await startTestService({ clock, environment: { ROLES: "api,admin" } });
  });
  afterAll(() => app.close());

  const instant = (at: number) => new Date(at).toISOString();
  const log = () => {
    const lines: { level: number; removed?: Record<string, number>; what?: string }[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    return { logger, lines };
  };
  const start = (
    options: {
      database?: Database;
      logger?: Logger;
      batchSize?: number;
      flush?: () => Promise<void>;
      alone?: boolean;
    } = {},
  ) => {
    const janitor = startJanitor({
      database: options.database ?? app.database,
      clock,
      newId,
      logger: options.logger ?? pino({ level: "silent" }),
      activity: { flush: options.flush ?? (async () => {}) },
      ...(options.batchSize ? { batchSize: options.batchSize } : {}),
      ...(options.alone ? { alone: true } : {}),
    });
    onTestFinished(() => janitor.stop());
    return janitor;
  };
  const runOnce = async (options: Parameters<typeof start>[0] = {}) => {
    const janitor = start(options);
    await janitor.headStart(30_000);
    await janitor.stop();
  };
  const count = async (table: string, organizationId: string) => {
    const [row] = await app.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM ${table} WHERE organization_id = $1`,
      values: [organizationId],
    });
    return row!.count;
  };
  const idsOf = async (table: string, organizationId: string) => {
    const rows = await app.database.query<{ id: string }>({
      text: `SELECT id FROM ${table} WHERE organization_id = $1`,
      values: [organizationId],
    });
    return new Set(rows.map(({ id }) => id));
  };

  const insertEvent = async (organizationId: string, at: number) => {
    const id = idsFrom({ ...clock, now: () => at })();
    await app.database.query({
      text: "INSERT INTO events (organization_id, id, type, data, occurred_at) VALUES ($1, $2, 'lead.created', '{}', $3)",
      values: [organizationId, id, instant(at)],
    });
    return id;
  };
  const insertDelivery = async (
    organizationId: string,
    delivery: {
      eventId: string;
      state: string;
      createdAt: number;
      finishedAt: number | null;
    },
  ) => {
    const id = idsFrom({ ...clock, now: () => delivery.createdAt })();
    await app.database.query({
      text: `INSERT INTO webhook_deliveries (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at, finished_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        organizationId,
        id,
        delivery.eventId,
        randomUUID(),
        delivery.state,
        delivery.finishedAt === null ? instant(delivery.createdAt) : null,
        instant(delivery.createdAt),
        delivery.finishedAt === null ? null : instant(delivery.finishedAt),
      ],
    });
    return id;
  };
  const insertLeads = (organizationId: string, leads: number) =>
    app.database.query({
      text: `INSERT INTO leads (organization_id, id, phone_number, status, source_tag, created_at, updated_at)
             SELECT $1, uuid_v7_at($3), '+1415' || (1000000 + n), 'new', 'test', $4, $4 FROM generate_series(1, $2::int) AS n`,
      values: [organizationId, leads, clock.now(), instant(clock.now())],
    });

  it.each([
    [{}, { old: "failed", young: "running" }],
    [{ alone: true }, { old: "failed", young: "failed" }],
  ])("fails imports whose process died, with %j", async (options, states) => {
    const { organizationId } = await app.newOrganization();
    const ids = { old: newId(), young: newId() };
    const ages = { old: HOUR + 1, young: 1 };
    for (const which of ["old", "young"] as const) {
      await app.database.query({
        text: "INSERT INTO import_jobs (organization_id, id, state, created_at) VALUES ($1, $2, 'running', $3)",
        values: [organizationId, ids[which], instant(clock.now() - ages[which])],
      });
    }
    await runOnce(options);
    for (const which of ["old", "young"] as const) {
      const path = `/private/v1/organizations/${organizationId}/imports/${ids[which]}`;
      const job = (await app.callPrivate(path)).body;
      expect(job.state).toBe(states[which]);
      expect(job.finished_at).toBe(states[which] === "failed" ? instant(clock.now()) : null);
    }
  });

  it("keeps deliveries, dead letters and events exactly as long as their rules say", async () => {
    const day = fc.constantFrom(0, 29, 30, 31, 89, 90, 91);
    const justAround = fc.constantFrom(-1, 0, 1);
    const delivery = fc.record({
      state: fc.constantFrom("pending", "retrying", "delivered", "dead_letter", "discarded"),
      finishedDaysAgo: day,
      finishedMsMore: justAround,
    });
    const event = fc.record({
      deliveries: fc.array(delivery, { maxLength: 3 }),
      daysAgo: day,
      msMore: justAround,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const { organizationId } = await app.newOrganization();
        const now = clock.now();
        const kept = { events: new Set<string>(), deliveries: new Set<string>() };
        for (const { deliveries, daysAgo, msMore } of events) {
          const finished = deliveries.map((each) => now - each.finishedDaysAgo * DAY - each.finishedMsMore);
          const occurredAt = Math.min(now - daysAgo * DAY - msMore, ...finished);
          const eventId = await insertEvent(organizationId, occurredAt);
          let needed = false;
          for (const [index, { state }] of deliveries.entries()) {
            const queued = state === "pending" || state === "retrying";
            const finishedAt = queued ? null : finished[index]!;
            const id = await insertDelivery(organizationId, {
              eventId,
              state,
              createdAt: occurredAt,
              finishedAt,
            });
            const keepMs = state === "dead_letter" ? 90 * DAY : 30 * DAY;
            if (finishedAt !== null && finishedAt < now - keepMs) continue;
            needed = true;
            kept.deliveries.add(id);
          }
          if (needed || occurredAt >= now - 30 * DAY) kept.events.add(eventId);
        }
        await runOnce({ batchSize: 3 });
        expect(await idsOf("webhook_deliveries", organizationId)).toEqual(kept.deliveries);
        expect(await idsOf("events", organizationId)).toEqual(kept.events);
        for (const table of ["events", "webhook_deliveries"]) {
          const text = `DELETE FROM ${table} WHERE organization_id = $1`;
          await app.database.query({ text, values: [organizationId] });
        }
      }),
      { numRuns: 20 },
    );
  });

  it("forgets idempotency records after 24 hours", async () => {
    const { organizationId, key } = await app.newOrganization();
    const send = (idempotencyKey: string) =>
      app.call("/v1/leads", {
        key,
        json: { phone_number: "4155550100" },
        headers: { "idempotency-key": idempotencyKey },
      });
    for (const idempotencyKey of ["a", "b", "c"]) await send(idempotencyKey);
    clock.advance(1);
    await send("d");
    clock.advance(24 * HOUR - 2);
    await runOnce({ batchSize: 2 });
    expect(await count("idempotency_records", organizationId)).toBe(4);
    clock.advance(1);
    await runOnce({ batchSize: 2 });
    expect(await count("idempotency_records", organizationId)).toBe(1);
  });

  it("works again every hour", async () => {
    const { organizationId } = await app.newOrganization();
    await insertEvent(organizationId, clock.now() - 30 * DAY + HOUR - 1);
    const janitor = start();
    await janitor.headStart(30_000);
    expect(await count("events", organizationId)).toBe(1);
    await expect.poll(() => clock.pending()).toBeGreaterThan(0);
    clock.advance(HOUR);
    await expect.poll(() => count("events", organizationId)).toBe(0);
  });

  it("shares the work with other janitors", async () => {
    const { organizationId } = await app.newOrganization();
    const at = clock.now() - 40 * DAY;
    for (let i = 0; i < 300; i++) {
      const eventId = await insertEvent(organizationId, at + i);
      const state = i % 3 === 0 ? "discarded" : "delivered";
      await insertDelivery(organizationId, {
        eventId,
        state,
        createdAt: at + i,
        finishedAt: at + i,
      });
    }
    const { logger, lines } = log();
    await Promise.all([1, 2, 3].map(() => runOnce({ logger, batchSize: 7 })));
    for (const table of ["events", "webhook_deliveries"]) {
      expect(await count(table, organizationId)).toBe(0);
    }
    const sum = (what: string) => lines.reduce((total, { removed }) => total + (removed?.[what] ?? 0), 0);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    expect([sum("finished_deliveries"), sum("events")]).toEqual([300, 300]);
  });

  it("leaves a delivery alone that is replayed under its hands", async () => {
    const { organizationId } = await app.newOrganization();
    const at = clock.now() - 40 * DAY;
    const eventId = await insertEvent(organizationId, at);
    const finished = { eventId, state: "delivered", createdAt: at, finishedAt: at };
    const id = await insertDelivery(organizationId, finished);
    await app.database.transaction(async (transaction) => {
      await transaction.query({
        text: "UPDATE webhook_deliveries SET state = 'pending', finished_at = NULL WHERE organization_id = $1 AND id = $2",
        values: [organizationId, id],
      });
      await runOnce();
    });
    await runOnce();
    expect(await idsOf("webhook_deliveries", organizationId)).toEqual(new Set([id]));
    expect(await idsOf("events", organizationId)).toEqual(new Set([eventId]));
  });

  it("stops after the statement that is running", async () => {
    const { organizationId } = await app.newOrganization({ sandbox: true });
    await insertLeads(organizationId, 2000);
    clock.advance(91 * DAY);
    const janitor = start({ batchSize: 1 });
    await expect.poll(() => count("leads", organizationId)).toBeLessThan(2000);
    const begun = performance.now();
    await janitor.stop();
    expect(performance.now() - begun).toBeLessThan(1000);
    const left = await count("leads", organizationId);
    expect(left).toBeGreaterThan(0);
    await runOnce();
    expect(await count("leads", organizationId)).toBe(0);
  });

  it("goes on with the rest when one part fails, and tries that again in a minute", async () => {
    const { organizationId } = await app.newOrganization();
    const failing = { idle: true };
    const database: Database = {
      ...app.database,
      transaction: (work) =>
        app.database.transaction((transaction) =>
          work({
            ...transaction,
            query: (statement) =>
              failing.idle && statement.text.includes("sandbox_purge_before")
                ? Promise.reject(new Error("a part fails"))
                : transaction.query(statement),
          }),
        ),
    };
    const { logger, lines } = log();
    await insertEvent(organizationId, clock.now() - 31 * DAY);
    const janitor = start({ database, logger });
    await janitor.headStart(30_000);
    expect(await count("events", organizationId)).toBe(0);
    expect(lines.filter(({ level }) => level >= 50)).toMatchObject([{ what: "idle_sandboxes" }]);
    failing.idle = false;
    const idle = await app.newOrganization({ sandbox: true });
    await insertLeads(idle.organizationId, 1);
    await app.database.query({
      text: "UPDATE organizations SET last_api_activity_at = $2 WHERE organization_id = $1",
      values: [idle.organizationId, instant(clock.now() - 91 * DAY)],
    });
    await expect.poll(() => clock.pending()).toBeGreaterThan(0);
    clock.advance(3 * 60_000);
    await expect.poll(() => count("leads", idle.organizationId)).toBe(0);
  });

  describe("and sandboxes", () => {
    const lost = [
      "appointments",
      "leads",
      "campaigns",
      "webhook_subscriptions",
      "events",
      "webhook_deliveries",
      "import_jobs",
      "import_job_rows",
      "idempotency_records",
    ];
    /** An organization with something in every table that a sandbox can lose. */
    const furnished = async (sandbox: boolean) => {
      const made = await app.newOrganization({ sandbox });
      const { organizationId, key } = made;
      const at = instant(clock.now());
      const campaign = await app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns`, {
        json: { name: "Spring" },
      });
      for (const last of ["01", "02", "03", "04", "05"]) {
        const created = await app.call("/v1/leads", {
          key,
          json: { phone_number: `41555501${last}`, campaign_id: campaign.body.id },
          headers: { "idempotency-key": last },
        });
        expect(created.status).toBe(201);
        const json = { lead_id: created.body.id, appointment_datetime: "2027-01-05T10:00:00Z" };
        expect((await app.call("/v1/appointments", { key, json })).status).toBe(201);
      }
      await app.database.query({
        text: `INSERT INTO webhook_subscriptions (organization_id, id, name, target_url, event_types, secret, enabled, created_at, updated_at)
               VALUES ($1, $2, 'x', 'https://example.com', '{*}', 'whsec_x', true, $3, $3)`,
        values: [organizationId, newId(), at],
      });
      for (const state of ["pending", "retrying", "delivered", "dead_letter", "discarded"]) {
        const eventId = await insertEvent(organizationId, clock.now());
        const finishedAt = state === "pending" || state === "retrying" ? null : clock.now();
        await insertDelivery(organizationId, {
          eventId,
          state,
          createdAt: clock.now(),
          finishedAt,
        });
      }
      const jobId = newId();
      await app.database.query({
        text: "INSERT INTO import_jobs (organization_id, id, state, created_at) VALUES ($1, $2, 'finished', $3)",
        values: [organizationId, jobId, at],
      });
      await app.database.query({
        text: `INSERT INTO import_job_rows (organization_id, job_id, row_number, ordinal, kind, code, raw_row)
               SELECT $1, $2, n, 0, 'error', 'x', '{}' FROM generate_series(1, 5) AS n`,
        values: [organizationId, jobId],
      });
      return made;
    };
    const counts = async (organizationId: string) =>
      Object.fromEntries(
        await Promise.all(lost.map(async (table) => [table, await count(table, organizationId)] as const)),
      );
    const empty = Object.fromEntries(lost.map((table) => [table, 0]));
    const noteUse = (organizationId: string) =>
      app.database.query({
        text: "UPDATE organizations SET last_api_activity_at = $2 WHERE organization_id = $1",
        values: [organizationId, instant(clock.now())],
      });

    it("empties those idle for 90 days, keeps the organization and its keys, and touches no other", async () => {
      const idle = await furnished(true);
      const used = await furnished(true);
      const live = await furnished(false);
      for (const { organizationId } of [idle, used, live]) await noteUse(organizationId);
      clock.advance(1);
      await noteUse(used.organizationId);
      const before = await counts(idle.organizationId);
      for (const table of lost) expect(before[table], table).toBeGreaterThan(0);

      clock.advance(90 * DAY - 1);
      await runOnce({ batchSize: 2 });
      expect(await count("leads", idle.organizationId)).toBe(5);
      clock.advance(1);
      const dropped = { lead: await count("leads", live.organizationId) };
      await runOnce({ batchSize: 2 });
      expect(await counts(idle.organizationId)).toEqual(empty);
      for (const { organizationId } of [used, live]) {
        expect(await counts(organizationId)).toMatchObject({
          leads: dropped.lead,
          campaigns: 1,
          webhook_subscriptions: 1,
          import_jobs: 1,
          import_job_rows: 5,
          // Of old age every organization has lost what was finished; what is still queued stays.
          webhook_deliveries: 2,
          events: 2,
        });
      }
      for (const table of ["organizations", "api_keys", "wallets"]) {
        expect(await count(table, idle.organizationId)).toBe(1);
      }
      expect(await app.call("/v1/leads", { key: idle.key })).toMatchObject({
        status: 200,
        body: { data: [] },
      });
      const audited = await app.database.query<{ details: unknown }>({
        text: "SELECT details FROM audit_log WHERE organization_id = $1 AND action = 'organization.sandbox_purged'",
        values: [idle.organizationId],
      });
      expect(audited).toMatchObject([
        { details: { removed: { leads: 5, campaigns: 1, import_job_rows: 5 } } },
      ]);
    });

    it("is safe with several janitors at once", async () => {
      const idle = await furnished(true);
      await insertLeads(idle.organizationId, 200);
      await noteUse(idle.organizationId);
      clock.advance(91 * DAY);
      const { logger, lines } = log();
      await Promise.all([1, 2, 3].map(() => runOnce({ logger, batchSize: 5 })));
      await runOnce();
      expect(await counts(idle.organizationId)).toEqual(empty);
      expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    });

    it("asks for unwritten uses before it finds anything idle", async () => {
      const { organizationId } = await furnished(true);
      clock.advance(91 * DAY);
      await runOnce({ flush: async () => void (await noteUse(organizationId)) });
      expect(await count("leads", organizationId)).toBe(5);
    });

    it("ends what it has begun also when the sandbox is used again, and spares what was made since", async () => {
      const { organizationId, key } = await furnished(true);
      await insertLeads(organizationId, 300);
      clock.advance(91 * DAY);
      const janitor = start({ batchSize: 1 });
      await expect.poll(() => count("leads", organizationId)).toBeLessThan(305);
      await janitor.stop();
      clock.advance(5 * 60_000);
      await noteUse(organizationId);
      const campaign = await app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns`, {
        json: { name: "Summer" },
      });
      const lead = await app.call("/v1/leads", {
        key,
        json: { phone_number: "2125550100", campaign_id: campaign.body.id },
      });
      // One that is to go, and is needed again.
      const [old] = await app.database.query<{ id: string }>({
        text: "SELECT id FROM leads WHERE organization_id = $1 AND campaign_id IS NULL LIMIT 1",
        values: [organizationId],
      });
      const appointment = await app.call("/v1/appointments", {
        key,
        json: { lead_id: old!.id, appointment_datetime: "2027-01-05T10:00:00Z" },
      });
      await runOnce();
      expect(await idsOf("appointments", organizationId)).toEqual(new Set([appointment.body.id]));
      expect(await idsOf("leads", organizationId)).toEqual(new Set([lead.body.id, old!.id]));
      expect(await idsOf("campaigns", organizationId)).toEqual(new Set([campaign.body.id]));
      expect(await count("events", organizationId)).toBe(2);
      clock.advance(HOUR);
      await runOnce();
      expect(await count("leads", organizationId)).toBe(2);
    });

    it("has emptied an idle sandbox when a service that starts answers its first request", async () => {
      const { key, organizationId } = await furnished(true);
      await noteUse(organizationId);
      const service = await startTestService({
        clock: manualClock(clock.now() + 91 * DAY),
        testDatabase: app.testDatabase,
      });
      expect(await service.call("/v1/leads", { key })).toMatchObject({ status: 200, body: { data: [] } });
      await service.close();
    });
  });
});

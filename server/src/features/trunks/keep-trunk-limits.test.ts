import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { type Database, openDatabase } from "../../database/database.ts";
import { idsFrom } from "../../ids.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { fakeTrunk } from "../../testing/voice/fake-trunk.ts";
import { CarrierRefusal } from "../../voice/carriers/carrier.ts";
import { createSipCarrier, resolveTarget, type Trunk } from "../../voice/carriers/sip/index.ts";
import { trunkLimitsContract } from "../../voice/carriers/sip/trunk-limits.contract.ts";
import { createRtpPorts } from "../../voice/media/rtp-ports.ts";
import { createOrganization } from "../organizations/index.ts";
import { addTrunk, keepTrunkLimits, removeTrunk, trunkSource } from "./index.ts";

const newId = idsFrom(systemClock());
const silentLogger = { error() {}, warn() {}, info() {} };
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function newTrunk(
  limits: Partial<Pick<Trunk, "channels" | "callsPerSecond">>,
  more: { port?: number; organization_id?: string } = {},
): Promise<Trunk> {
  const deps = { database, clock: systemClock(), newId, trunksChanged() {} };
  const { port = 9, ...owner } = more;
  const { id } = await addTrunk(deps, {
    name: "made up",
    uri: `sip:127.0.0.1:${port}`,
    actor: "test",
    ...owner,
    ...(limits.channels ? { channels: limits.channels } : {}),
    ...(limits.callsPerSecond ? { cps: limits.callsPerSecond } : {}),
  });
  return (await trunkSource(database).allTrunks()).find((trunk) => trunk.id === id)!;
}

const newOrganization = () =>
  createOrganization({ database, clock: systemClock(), newId }, { name: "Of its own", actor: "test" });

for (const whose of ["shared", "an organization's"] as const) {
  trunkLimitsContract(`the database, of ${whose} trunks`, async () => {
    const clock = manualClock();
    const processes = [1, 2].map(() => keepTrunkLimits({ database, clock, newId, logger: silentLogger }));
    const owner = whose === "shared" ? {} : { organization_id: (await newOrganization()).id };
    return {
      processes: [processes[0]!, processes[1]!],
      clock,
      newTrunk: (limits) => newTrunk(limits, owner),
      close: async () => void (await Promise.all(processes.map((limits) => limits.close()))),
    };
  });
}

describe("what a process holds of a trunk", () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** A process of its own, whose database can be away. */
  function startProcess(clock: ManualClock) {
    const state = { isAway: false, failures: 0 };
    const refuse = () => Promise.reject(new Error("the database is away"));
    const limits = keepTrunkLimits({
      database: {
        ...database,
        query: (statement) => (state.isAway ? refuse() : database.query(statement)),
        transaction: (work) => (state.isAway ? refuse() : database.transaction(work)),
      },
      clock,
      newId,
      logger: { warn() {}, error: () => state.failures++ },
    });
    closers.push(() => limits.close());
    return { limits, state };
  }

  /** When the leases end of what is held of a trunk. */
  const leases = async ({ id }: Trunk) => {
    const rows = await database.query<{ lease_until: string }>({
      text: "SELECT lease_until FROM trunk_lines WHERE trunk_id = $1 ORDER BY lease_until",
      values: [id],
    });
    return rows.map(({ lease_until }) => Date.parse(lease_until));
  };

  /** Lets every process do what it does each 10 seconds: it is over when all of them sleep again. */
  async function round10s(clock: ManualClock, processes: number): Promise<void> {
    await expect.poll(() => clock.pending()).toBe(processes);
    clock.advance(10_000);
    await expect.poll(() => clock.pending()).toBe(processes);
  }

  it("is kept while it lives, and comes free when it has died", async () => {
    const clock = manualClock();
    const trunk = await newTrunk({ channels: 1 });
    const watched = await newTrunk({ channels: 1 });
    const [dying, watching] = [startProcess(clock), startProcess(clock)];
    await dying.limits.take(trunk);
    await watching.limits.take(watched);
    for (let round = 0; round < 6; round++) {
      await round10s(clock, 2);
      for (const each of [trunk, watched]) expect(await leases(each)).toEqual([clock.now() + 30_000]);
    }
    expect(await watching.limits.take(trunk)).toBe("full");
    // It stops without giving anything back.
    await dying.limits.close();
    for (let round = 0; round < 3; round++) await round10s(clock, 1);
    expect(await watching.limits.free([trunk])).toBe(0);
    await round10s(clock, 1);
    expect(await watching.limits.free([trunk])).toBe(1);
    expect(await watching.limits.take(trunk)).toMatchObject({ turnAt: clock.now() });
  });

  it("stays its own over a time without the database, in which nothing can be taken", async () => {
    const clock = manualClock();
    const trunk = await newTrunk({ channels: 2 });
    const [one, other] = [startProcess(clock), startProcess(clock)];
    const line = await one.limits.take(trunk);
    await other.limits.take(trunk);
    for (const { state } of [one, other]) state.isAway = true;
    clock.advance(120_000);
    await expect.poll(() => Math.min(one.state.failures, other.state.failures)).toBeGreaterThan(0);
    await expect(other.limits.take(trunk)).rejects.toThrow("away");
    await expect(other.limits.free([trunk])).rejects.toThrow("away");
    other.state.isAway = false;
    // The other one's round is over: it has renewed its own, and left what isn't.
    await expect.poll(() => clock.pending()).toBe(1);
    expect((await leases(trunk)).at(-1)).toBe(clock.now() + 30_000);
    expect(await other.limits.take(trunk)).toBe("full");
    one.state.isAway = false;
    await expect.poll(() => leases(trunk)).toEqual([clock.now() + 30_000, clock.now() + 30_000]);
    if (typeof line !== "string") await line.release();
    expect(await other.limits.free([trunk])).toBe(1);
  });

  it("counts again when it was taken for dead's, and comes free by itself when it couldn't be given back", async () => {
    const clock = manualClock();
    const trunk = await newTrunk({ channels: 1 });
    const late = startProcess(clock);
    const line = await late.limits.take(trunk);
    await database.query({ text: "DELETE FROM trunk_lines WHERE trunk_id = $1", values: [trunk.id] });
    await round10s(clock, 1);
    expect(await leases(trunk)).toEqual([clock.now() + 30_000]);
    late.state.isAway = true;
    if (typeof line !== "string") await line.release();
    expect(late.state.failures).toBe(1);
    late.state.isAway = false;
    for (let round = 0; round < 4; round++) await round10s(clock, 1);
    expect(await late.limits.free([trunk])).toBe(1);
  });

  it("doesn't keep a trunk from being removed, and a removed one gives nothing", async () => {
    const clock = manualClock();
    const trunk = await newTrunk({ channels: 5, callsPerSecond: 5 });
    const { limits, state } = startProcess(clock);
    const line = await limits.take(trunk);
    const deps = { database, clock, newId, trunksChanged() {} };
    await removeTrunk(deps, { id: trunk.id, actor: "test" });
    expect(await limits.take(trunk)).toBe("full");
    expect(await limits.free([trunk])).toBe(0);
    await round10s(clock, 1);
    if (typeof line !== "string") await line.release();
    expect(state.failures).toBe(0);
  });
});

describe("two processes' SIP carriers on one database", () => {
  it("never carry more calls than the trunk has channels, however they end; without the database only those without limits go on", async () => {
    const clock = systemClock();
    const ports = createRtpPorts({ from: 44_000, to: 44_499 });
    const far = await fakeTrunk({ clock, silent: true, ports, onInvite: (call) => call.respond(180) });
    const trunk = await newTrunk({ channels: 3 }, { port: far.port });
    const plain = await newTrunk({}, { port: far.port });
    let trunks = [trunk];
    let isAway = false;
    const processes = [1, 2].map(() => {
      const limits = keepTrunkLimits({
        database: {
          ...database,
          transaction: (work) =>
            isAway ? Promise.reject(new Error("the database is away")) : database.transaction(work),
        },
        clock,
        newId,
        logger: silentLogger,
      });
      const carrier = createSipCarrier({
        clock,
        newToken: () => randomBytes(8).toString("hex"),
        ports,
        source: { trunksOf: async () => trunks, allTrunks: async () => trunks },
        limits,
        resolve: resolveTarget,
        bind: { address: "127.0.0.1", port: 0 },
        advertisedAddress: null,
        logger: silentLogger,
      });
      return { carrier, limits };
    });
    let dialed = 0;
    const dial = async ({ carrier }: (typeof processes)[number]) => {
      const to = `+1212555${1_000 + dialed++}`;
      const request = { organizationId: "any", callId: newId(), from: "+12125550199", to };
      const call = await carrier.dial({ ...request, ringTimeoutMs: 30_000 });
      return { call, far: () => far.calls.find(({ invite }) => invite.uri.includes(to))! };
    };
    const [one, other] = [processes[0]!, processes[1]!];
    const dialAll = async (count: number) => {
      const asked = Array.from({ length: count }, (_, at) => dial(at % 2 ? one : other));
      const results = await Promise.allSettled(asked);
      const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: "concurrency_limit" });
      return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    };
    try {
      const calls = await dialAll(10);
      expect(calls).toHaveLength(3);
      await expect.poll(() => far.calls.length).toBe(3);
      expect(await one.carrier.freeLines?.("any")).toBe(0);
      expect(await other.carrier.freeLines?.("any")).toBe(0);

      // We give up, they refuse, they answer and hang up: each makes room, once.
      const ends: string[] = [];
      for (const { call, far } of calls) {
        call.onEvent((event) => {
          if (event.type === "ended") ends.push(event.cause);
          if (event.type === "answered") void far().bye();
        });
      }
      await calls[0]!.call.hangup();
      calls[1]!.far().respond(486);
      calls[2]!.far().respond(200);
      await expect.poll(() => ends).toEqual(["canceled", "busy", "remote_hangup"]);
      await expect.poll(() => one.carrier.freeLines?.("any")).toBe(3);
      expect(await dialAll(8)).toHaveLength(3);

      isAway = true;
      const refusal = await dial(one).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(CarrierRefusal);
      expect(refusal).toMatchObject({ code: "no_voice_carrier_available" });
      trunks = [trunk, plain];
      await dial(one);
      await expect.poll(() => far.calls.length).toBe(7);
    } finally {
      await Promise.all(processes.map(({ carrier }) => carrier.close()));
      isAway = false;
      expect(await one.limits.free([trunk])).toBe(3);
      await Promise.all(processes.map(({ limits }) => limits.close()));
      await far.close();
    }
  });
});

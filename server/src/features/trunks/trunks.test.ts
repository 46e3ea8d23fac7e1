import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { freePort } from "../../testing/free-port.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type FakeTrunk, fakeTrunk, type TrunkCall } from "../../testing/voice/fake-trunk.ts";
import { placeCall } from "../../testing/voice/place-call.ts";
import { createRtpPorts } from "../../voice/media/rtp-ports.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

async function until<T>(read: () => Promise<T> | T, isSo: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (Date.now() > deadline) throw new Error(`it wasn't so: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("trunks", () => {
  let app: TestService;
  let port: number;
  let organizationId: string;
  let key: string;
  let trunk: FakeTrunk;
  let ticking: NodeJS.Timeout;
  let onInvite: (call: TrunkCall) => void = () => undefined;

  const post = (path: string, json: unknown = {}) => app.callPrivate(`/private/v1${path}`, { json });
  const list = async (query = "") => (await app.callPrivate(`/private/v1/trunks${query}`)).body.data;

  beforeAll(async () => {
    port = await freePort();
    app = await startTestService({
      environment: { SIP_BIND: `127.0.0.1:${port}`, RTP_PORTS: "43000-43499" },
    });
    ({ organizationId, key } = await app.newOrganization());
    await post(`/organizations/${organizationId}/wallet/credits`, { tokens: 100_000 });
    trunk = await fakeTrunk({
      clock: systemClock(),
      silent: true,
      ports: createRtpPorts({ from: 43_500, to: 43_999 }),
      onInvite: (call) => onInvite(call),
    });
    ticking = setInterval(() => trunk.tick(), 20);
  });
  afterEach(async () => {
    for (const { id } of (await list()) as { id: string }[])
      await app.callPrivate(`/private/v1/trunks/${id}`, { method: "DELETE" });
  });
  afterAll(async () => {
    clearInterval(ticking);
    await app.close();
    await trunk.close();
  });

  const add = async (more: Record<string, unknown> = {}) =>
    post("/trunks", { name: "local", uri: `sip:127.0.0.1:${trunk.port}`, ...more });

  it("are added, listed in the order in which they are tried, and removed; passwords aren't shown", async () => {
    const shared = await add({ username: "alice", password: "secret", channels: 10, cps: 5 });
    expect(shared).toMatchObject({
      status: 201,
      body: {
        id: expect.any(String),
        organization_id: null,
        name: "local",
        uri: `sip:127.0.0.1:${trunk.port}`,
        transport: "udp",
        username: "alice",
        channels: 10,
        cps: 5,
        priority: 10,
        register: false,
      },
    });
    expect(JSON.stringify(shared.body)).not.toContain("secret");
    const own = await add({ name: "own", organization_id: organizationId, priority: 20, transport: "tls" });
    const first = await add({ name: "first", uri: "sip:[::1]:5080", priority: 1 });
    const stranger = await app.newOrganization();
    await add({ name: "other's", organization_id: stranger.organizationId });
    const ids = ((await list(`?organization_id=${organizationId}`)) as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual([own.body.id, first.body.id, shared.body.id]);
    expect(await list()).toHaveLength(4);
    expect(await app.callPrivate(`/private/v1/trunks/${own.body.id}`, { method: "DELETE" })).toMatchObject({
      status: 200,
      body: { id: own.body.id, deleted: true },
    });
    expect(await app.callPrivate(`/private/v1/trunks/${own.body.id}`, { method: "DELETE" })).toMatchObject({
      status: 404,
    });
    const audit = await app.callPrivate(
      `/private/v1/organizations/${organizationId}/audit?subject_type=trunk`,
    );
    expect(audit.body.data).toMatchObject([{ action: "trunk.removed" }, { action: "trunk.added" }]);
  });

  it("are refused when they make no sense", async () => {
    for (const more of [
      { uri: "sip:user@host" },
      { uri: "https://example.com" },
      { uri: "sip:host:0" },
      { uri: "sip:host;transport=tcp" },
      { username: "alice" },
      { password: "secret" },
      { channels: 0 },
      { transport: "sctp" },
      { name: "" },
    ])
      expect(await add(more)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await add({ organization_id: UNKNOWN })).toMatchObject({
      status: 404,
      body: { error: "organization_not_found" },
    });
  });

  it("are tested by OPTIONS, and what they answer is told in words", async () => {
    const { body: good } = await add();
    expect(await post(`/trunks/${good.id}/test`)).toMatchObject({
      status: 200,
      body: { id: good.id, reachable: true, status: 200, message: expect.stringMatching(/is there/) },
    });
    const { body: dead } = await add({ uri: "sip:127.0.0.1:1", transport: "tcp" });
    expect(await post(`/trunks/${dead.id}/test`)).toMatchObject({
      status: 200,
      body: { reachable: false, status: null, message: expect.stringMatching(/Nothing listens/) },
    });
    expect(await post(`/trunks/${UNKNOWN}/test`)).toMatchObject({ status: 404 });
  });

  describe("carry calls", () => {
    const FROM = "+12125550177";
    let agentId: string;
    beforeAll(async () => {
      await post(`/organizations/${organizationId}/numbers`, { phone_number: FROM, carrier: "sip" });
      const json = {
        name: "Answers",
        call_template: { system_prompt: "Be kind.", greeting: "Hello there.", recording_enabled: false },
      };
      agentId = String((await app.call("/v1/agents", { key, json })).body.id);
      await app.call(`/v1/agents/${agentId}/phone-number`, { key, json: { phone_number: FROM } });
    });
    const start = () =>
      app.call("/v1/calls", {
        key,
        json: { medium: "phone", to_number: "+13035551234", system_prompt: "Be kind.", greeting: "Hello." },
      });
    const read = async (id: unknown) => (await app.call(`/v1/calls/${id}`, { key })).body;

    it("out: no trunk is no carrier; then ringing, the answer, talk and the far side's end", async () => {
      expect(await start()).toMatchObject({ status: 503, body: { error: "no_voice_carrier_available" } });
      await add();
      onInvite = (call) => {
        call.respond(180);
        setTimeout(() => call.respond(200), 50);
      };
      const started = await start();
      expect(started).toMatchObject({ status: 201, body: { status: "initiating", from_number: FROM } });
      await until(
        () => read(started.body.id),
        ({ status }) => status === "in-progress",
      );
      const far = trunk.calls.at(-1)!;
      await until(
        () => far.loudFrames(),
        (frames) => frames > 10,
      );
      await far.bye();
      const ended = await until(
        () => read(started.body.id),
        ({ ended_at }) => ended_at !== null,
      );
      expect(ended).toMatchObject({ status: "completed", carrier: "sip", origin: "api" });
    });

    it("out: busy is busy, and a trunk whose channels are full answers 429", async () => {
      await add({ channels: 1 });
      onInvite = (call) => call.respond(486);
      const started = await start();
      expect(
        await until(
          () => read(started.body.id),
          ({ ended_at }) => ended_at !== null,
        ),
      ).toMatchObject({
        status: "busy",
        call_outcome: "busy",
      });
      onInvite = (call) => call.respond(180);
      const ringing = await start();
      expect(ringing.status).toBe(201);
      expect(await start()).toMatchObject({ status: 429, body: { error: "concurrency_limit" } });
      await post(`/organizations/${organizationId}/calls/${ringing.body.id}/hangup`);
      expect(await read(ringing.body.id)).toMatchObject({ status: "canceled" });
    });

    it("in: the number's agent answers; another number isn't found; a host that is no trunk is forbidden", async () => {
      expect(await placeCall(trunk, port, FROM)).toMatchObject({ status: 403 });
      await add({ channels: 1 });
      expect(await placeCall(trunk, port, "+12125550178")).toMatchObject({ status: 404 });
      const placed = await placeCall(trunk, port, FROM);
      expect(placed.status).toBe(200);
      const lines = () => app.database.query({ text: "SELECT id FROM trunk_lines" });
      await until(lines, (rows) => rows.length === 1);
      // It has the trunk's only channel; and who calls us isn't refused for that.
      expect(await start()).toMatchObject({ status: 429, body: { error: "concurrency_limit" } });
      const second = await placeCall(trunk, port, FROM);
      expect(second.status).toBe(200);
      await second.bye();
      await until(
        () => placed.loudFrames(),
        (frames) => frames > 10,
      );
      await placed.bye();
      const [call] = (
        (await app.call(`/v1/calls?agent_id=${agentId}`, { key })).body as {
          data: { id: string }[];
        }
      ).data;
      expect(
        await until(
          () => read(call!.id),
          ({ ended_at }) => ended_at !== null,
        ),
      ).toMatchObject({
        origin: "inbound",
        status: "completed",
        carrier: "sip",
        agent_id: agentId,
        to_number: FROM,
        from_number: "+14155550123",
        answered_by: null,
      });
      await until(lines, (rows) => rows.length === 0);
    });
  });
});

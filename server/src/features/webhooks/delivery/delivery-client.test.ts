import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startSilentListener, startWebhookSink, type WebhookSink } from "../../../testing/webhook-sink.ts";
import type { TargetResolver } from "../target/index.ts";
import { createDeliveryClient, type DeliveryClient } from "./delivery-client.ts";
import { verifySignature } from "./signature.ts";

const nobody: TargetResolver = {
  resolve: async (host) => {
    throw new Error(`nobody should have looked up ${host}`);
  },
};
const secret = `whsec_${"ab".repeat(32)}`;
const eventId = "019b8f5e-7000-7000-8000-000000000001";
const body = JSON.stringify({ id: eventId, type: "lead.created", data: { note: "Zoë 😀" } });

const attemptTo = (targetUrl: string) => ({
  targetUrl,
  secret,
  eventType: "lead.created",
  eventId,
  attempt: 3,
  timestampSeconds: 1_767_614_400,
  body,
});

let sink: WebhookSink;
let client: DeliveryClient;

beforeEach(async () => {
  sink = await startWebhookSink();
  client = createDeliveryClient({ resolver: nobody, allowPrivateTargets: true, timeoutMs: 5_000 });
});

afterEach(async () => {
  await client.close();
  await sink.close();
});

const deliver = (path: string, signal?: AbortSignal) =>
  client.deliver({ ...attemptTo(sink.url(path)), ...(signal && { signal }) });

/** A client whose limit is over soon, for receivers that never come to an end. */
async function withLimit<T>(timeoutMs: number, use: (client: DeliveryClient) => Promise<T>): Promise<T> {
  const hurried = createDeliveryClient({ resolver: nobody, allowPrivateTargets: true, timeoutMs });
  try {
    return await use(hurried);
  } finally {
    await hurried.close();
  }
}

describe("the request", () => {
  it("carries the documented headers, the raw body and a signature that verifies", async () => {
    expect(await deliver("/in?x=%20y")).toMatchObject({
      ok: true,
      status: 200,
      error: null,
      permanent: false,
      responseExcerpt: "",
    });
    const [request] = sink.requests;
    expect(request).toMatchObject({ method: "POST", path: "/in?x=%20y" });
    expect(request?.body.toString()).toBe(body);
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${sink.port}`,
      connection: "keep-alive",
      accept: "*/*",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "user-agent": "service-webhooks/1.0",
      "x-service-event": "lead.created",
      "x-service-event-id": eventId,
      "x-service-delivery-attempt": "3",
      "x-service-signature-256": expect.stringMatching(/^t=1767614400,v1=[0-9a-f]{64}$/),
    });
    expect(request?.rawHeaders).toContain("X-Service-Signature-256");
    const header = String(request?.headers["x-service-signature-256"]);
    expect(verifySignature([secret], header, request!.body, 1_767_614_400).ok).toBe(true);
  });
});

describe("what an answer means", () => {
  it.each([200, 201, 202, 204, 299])("%i is delivered", async (status) => {
    sink.script("/", { kind: "respond", status, ...(status === 204 ? {} : { body: "thanks" }) });
    expect(await deliver("/")).toMatchObject({
      ok: true,
      status,
      error: null,
      responseExcerpt: status === 204 ? "" : "thanks",
    });
  });

  it.each([304, 400, 401, 404, 410, 429, 500, 503])("%i is not", async (status) => {
    sink.script("/", { kind: "respond", status });
    expect(await deliver("/")).toMatchObject({ ok: false, status, error: "http_status", permanent: false });
  });

  it.each([301, 302, 303, 307, 308])("%i is a redirect, and is not followed", async (status) => {
    sink.script("/", { kind: "redirect", status, location: sink.url("/elsewhere") });
    expect(await deliver("/")).toMatchObject({ ok: false, status, error: "redirect", permanent: false });
    expect(sink.requests.map(({ path }) => path)).toEqual(["/"]);
  });

  it("may have interim answers before it", async () => {
    sink.script("/", {
      kind: "raw",
      bytes: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    });
    expect(await deliver("/")).toMatchObject({ ok: true, status: 200, responseExcerpt: "ok" });
  });
});

describe("a receiver that misbehaves", () => {
  it("hangs: timeout at the limit, the connection dropped", async () => {
    sink.script("/", { kind: "hang" });
    const outcome = await withLimit(300, (hurried) => hurried.deliver(attemptTo(sink.url("/"))));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "timeout", responseExcerpt: null });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(299);
    expect(outcome.durationMs).toBeLessThan(2_000);
    await expect.poll(() => sink.connections.open).toBe(0);
  });

  it("accepts the connection and never reads: timeout", async () => {
    const silent = await startSilentListener();
    const outcome = await withLimit(300, (hurried) =>
      hurried.deliver(attemptTo(`http://127.0.0.1:${silent.port}/`)),
    );
    expect(outcome).toMatchObject({ ok: false, status: null, error: "timeout" });
    await silent.close();
  });

  it("accepts and never shakes hands on TLS: timeout", async () => {
    const silent = await startSilentListener();
    const outcome = await withLimit(300, (hurried) =>
      hurried.deliver(attemptTo(`https://127.0.0.1:${silent.port}/`)),
    );
    expect(outcome).toMatchObject({ ok: false, status: null, error: "timeout" });
    await silent.close();
  });

  it("drips its head for ever: timeout", async () => {
    sink.script("/", { kind: "drip-head" });
    const outcome = await withLimit(400, (hurried) => hurried.deliver(attemptTo(sink.url("/"))));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "timeout" });
  });

  it("drips its body for ever: ended at the limit, which a 2xx must keep too", async () => {
    sink.script("/fine", { kind: "drip" });
    sink.script("/broken", { kind: "drip", status: 500 });
    await withLimit(400, async (hurried) => {
      const [fine, broken] = await Promise.all(
        ["/fine", "/broken"].map((path) => hurried.deliver(attemptTo(sink.url(path)))),
      );
      expect(fine).toMatchObject({ ok: false, status: 200, error: "timeout" });
      expect(fine?.responseExcerpt).toMatch(/^first words\.+$/);
      expect(fine?.durationMs).toBeGreaterThanOrEqual(399);
      expect(fine?.durationMs).toBeLessThan(2_000);
      expect(broken).toMatchObject({ ok: false, status: 500, error: "http_status" });
    });
    await expect.poll(() => sink.connections.open).toBe(0);
  });

  it("floods with interim answers: given up at once", async () => {
    sink.script("/", { kind: "informational-flood" });
    expect(await deliver("/")).toMatchObject({ ok: false, status: null, error: "invalid_response" });
  });

  it("sends a body without end: read no further than 64 KiB", async () => {
    sink.script("/", { kind: "huge" });
    const outcome = await deliver("/");
    expect(outcome).toMatchObject({ ok: true, status: 200, responseExcerpt: "x".repeat(1_024) });
    await expect.poll(() => sink.connections.open).toBe(0);
    // What the kernel's buffers took on the way is not read by anyone.
    expect(sink.written.bytes).toBeLessThan(16 * 1_024 * 1_024);
  });

  it("sends a gzip bomb: nothing is inflated", async () => {
    sink.script("/", { kind: "gzip-bomb" });
    const before = process.memoryUsage.rss();
    const outcome = await deliver("/");
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.responseExcerpt?.length).toBeLessThanOrEqual(1_024);
    expect(sink.requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1_024 * 1_024);
  });

  it.each([
    ["reset", "connection_reset"],
    ["close", "connection_closed"],
  ] as const)("%s instead of an answer: %s, and one request only", async (kind, error) => {
    sink.script("/", { kind });
    expect(await deliver("/")).toMatchObject({ ok: false, status: null, error });
    expect(sink.requests).toHaveLength(1);
  });

  it("is cut off in the middle of its body: the status decides", async () => {
    sink.script("/", { kind: "cut-off" });
    expect(await deliver("/")).toMatchObject({ ok: true, status: 200, responseExcerpt: "half of it" });
    sink.script("/", { kind: "cut-off", status: 500 });
    expect(await deliver("/")).toMatchObject({ ok: false, status: 500, responseExcerpt: "half of it" });
  });

  it.each([
    ["something else than HTTP", "SSH-2.0-OpenSSH_9.9\r\n", "invalid_response"],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
      "invalid_response",
    ],
    [
      "40 KB of headers",
      `HTTP/1.1 200 OK\r\n${`x-long: ${"y".repeat(1_000)}\r\n`.repeat(40)}\r\n`,
      "response_headers_too_large",
    ],
    [
      "an upgrade nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
      "connection_closed",
    ],
  ])("answers with %s", async (_, bytes, error) => {
    sink.script("/", { kind: "raw", bytes });
    expect(await deliver("/")).toMatchObject({ ok: false, status: null, error });
  });

  it("isn't there: connection_refused", async () => {
    const gone = await startSilentListener();
    await gone.close();
    const outcome = await client.deliver(attemptTo(`http://127.0.0.1:${gone.port}/`));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "connection_refused", permanent: false });
  });
});

describe("the excerpt", () => {
  it.each([
    ["a".repeat(2_000), "a".repeat(1_024)],
    [`${"a".repeat(1_022)}😀`, "a".repeat(1_022)],
    ["nul\0byte", "nul\ufffdbyte"],
    [Buffer.from([0x66, 0xff, 0x6f]), "f\ufffdo"],
  ])("%#: the first KiB as text that PostgreSQL can hold", async (answer, excerpt) => {
    sink.script("/", { kind: "respond", body: answer });
    expect((await deliver("/")).responseExcerpt).toBe(excerpt);
  });
});

describe("connections", () => {
  it("are kept alive and reused", async () => {
    for (let i = 0; i < 20; i++) await deliver("/");
    expect(sink.connections.opened).toBe(1);
  });

  it("never make one delivery wait for another at the same host", async () => {
    sink.script("/slow", { kind: "hang" });
    const controller = new AbortController();
    const slow = Array.from({ length: 100 }, () => deliver("/slow", controller.signal));
    await sink.waitFor((requests) => requests.length === 100);
    const outcome = await deliver("/fast");
    expect(outcome.ok).toBe(true);
    expect(outcome.durationMs).toBeLessThan(1_000);
    controller.abort();
    for (const { error } of await Promise.all(slow)) expect(error).toBe("aborted");
  });

  it("are not reused after an answer that had more behind it", async () => {
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    sink.script("/", { kind: "raw", bytes: `${answer}HTTP/1.1 204 No Content\r\n\r\n` });
    expect((await deliver("/")).status).toBe(200);
    sink.script("/", { kind: "respond", status: 500 });
    expect((await deliver("/")).status).toBe(500);
    expect(sink.connections.opened).toBe(2);
  });

  it("that the receiver closes after each answer are opened anew, without a failure", async () => {
    sink.script("/", { kind: "respond", headers: { connection: "close" } });
    for (let i = 0; i < 10; i++) expect((await deliver("/")).ok).toBe(true);
    expect(sink.connections.opened).toBe(10);
  });

  it("that sit idle are bounded in number", async () => {
    const frugal = createDeliveryClient({
      resolver: nobody,
      allowPrivateTargets: true,
      maxIdleConnections: 3,
    });
    await Promise.all(Array.from({ length: 20 }, () => frugal.deliver(attemptTo(sink.url("/")))));
    await expect.poll(() => sink.connections.open).toBeLessThanOrEqual(3);
    await frugal.close();
    await expect.poll(() => sink.connections.open).toBe(0);
  });
});

describe("stopping", () => {
  it("ends an attempt on its signal, before and during", async () => {
    sink.script("/", { kind: "hang" });
    expect(await deliver("/", AbortSignal.abort())).toMatchObject({ ok: false, error: "aborted" });
    expect(sink.requests).toHaveLength(0);
    const controller = new AbortController();
    const attempt = deliver("/", controller.signal);
    await sink.waitFor((requests) => requests.length === 1);
    controller.abort();
    expect(await attempt).toMatchObject({ ok: false, status: null, error: "aborted", permanent: false });
  });

  it("closes what is under way, connecting or waiting, and takes nothing more", async () => {
    sink.script("/", { kind: "hang" });
    const waiting = deliver("/");
    await sink.waitFor((requests) => requests.length === 1);
    const connecting = client.deliver(attemptTo("http://192.0.2.1/"));
    await client.close();
    expect(await waiting).toMatchObject({ error: "aborted" });
    expect(["aborted", "host_unreachable", "connection_refused"]).toContain((await connecting).error);
    await expect.poll(() => sink.connections.open).toBe(0);
    await expect(deliver("/")).rejects.toThrow("closed");
  });

  it("takes back a look-up under way", async () => {
    const never: TargetResolver = { resolve: () => new Promise(() => {}) };
    const stuck = createDeliveryClient({ resolver: never, allowPrivateTargets: false });
    const attempt = stuck.deliver(attemptTo("https://hooks.example.com/"));
    await stuck.close();
    expect(await attempt).toMatchObject({ ok: false, error: "aborted" });
  });
});

describe("without private targets", () => {
  const publicly = (resolver: TargetResolver, timeoutMs = 5_000) =>
    createDeliveryClient({
      resolver,
      allowPrivateTargets: false,
      timeoutMs,
      openSocket: (address) => {
        throw new Error(`nobody should have dialled ${address}`);
      },
    });

  it.each([
    ["https://127.0.0.1/", "private_ipv4", true],
    ["https://[::1]/", "private_ipv6", true],
    ["https://localhost/", "private_hostname", true],
    ["http://127.0.0.1/", "https_required_in_production", true],
    ["http://hooks.example.com/", "https_required_in_production", true],
    ["https://unknown.example/", "dns_lookup_failed", false],
  ])("%s is refused before any connection: %s", async (url, error, permanent) => {
    const strict = publicly(nobody);
    expect(await strict.deliver(attemptTo(url))).toMatchObject({ ok: false, status: null, error, permanent });
    await strict.close();
  });

  it("goes to the dead letters at once only when the name leads to a private address", async () => {
    const answers: Record<string, string[]> = {
      "in.example": ["93.184.216.34", "10.0.0.1"],
      "no.example": [],
    };
    const strict = publicly({
      resolve: async (host) => (answers[host] ?? []).map((address) => ({ address, family: 4 as const })),
    });
    const refused = await strict.deliver(attemptTo("https://in.example/"));
    expect(refused).toMatchObject({ ok: false, error: "private_resolved_ipv4", permanent: true });
    const empty = await strict.deliver(attemptTo("https://no.example/"));
    expect(empty).toMatchObject({ ok: false, error: "dns_no_records", permanent: false });
    await strict.close();
  });

  it("counts DNS into the limit", async () => {
    const strict = publicly({ resolve: () => new Promise(() => {}) }, 200);
    const outcome = await strict.deliver(attemptTo("https://hooks.example.com/"));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "timeout", permanent: false });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(199);
    await strict.close();
  });

  it("never gets a name as far as the socket", async () => {
    const odd: TargetResolver = { resolve: async () => [{ address: "localhost", family: 4 }] };
    const careless = createDeliveryClient({ resolver: odd, allowPrivateTargets: true });
    const outcome = await careless.deliver(attemptTo(`http://hooks.example.com:${sink.port}/`));
    expect(outcome).toMatchObject({ ok: false, error: "connection_failed" });
    expect(sink.requests).toHaveLength(0);
    await careless.close();
  });
});

it("leaves a connection to an address that the host no longer has", async () => {
  let address = "127.0.0.1";
  const dialled: string[] = [];
  const moving = createDeliveryClient({
    resolver: { resolve: async () => [{ address, family: 4 }] },
    allowPrivateTargets: true,
    openSocket: (host, port) => {
      dialled.push(host);
      return connect({ host: "127.0.0.1", port });
    },
  });
  const url = `http://hooks.example.com:${sink.port}/`;
  await moving.deliver(attemptTo(url));
  await moving.deliver(attemptTo(url));
  address = "127.0.0.2";
  await expect
    .poll(async () => {
      await moving.deliver(attemptTo(url));
      return dialled;
    })
    .toEqual(["127.0.0.1", "127.0.0.2"]);
  await expect.poll(() => sink.connections.open).toBe(1);
  await moving.close();
});

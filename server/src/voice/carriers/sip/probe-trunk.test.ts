import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../clock.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { header, responseTo, type SipHeader, type SipRequest, serialize } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { probeTrunk } from "./probe-trunk.ts";
import type { Trunk } from "./trunk.ts";

const run = promisify(execFile);
const CHALLENGE = { name: "www-authenticate", value: 'Digest realm="trunk.example", nonce="n", qop="auth"' };
const ALICE = { username: "alice", password: "secret" };

describe("the question whether a trunk is there is answered in words: with", () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const probe = (port: number | null, more: Partial<Trunk> = {}, deps: { ca?: Buffer } = {}) =>
    probeTrunk(
      {
        clock: systemClock(),
        bindAddress: "127.0.0.1",
        advertisedAddress: null,
        ...(deps.ca ? { tls: { ca: deps.ca } } : {}),
      },
      {
        id: "t",
        organizationId: null,
        name: "t",
        host: "127.0.0.1",
        port,
        protocol: "udp",
        credentials: null,
        channels: null,
        callsPerSecond: null,
        register: false,
        ...more,
      },
    );

  /** A trunk that says one thing to each request. */
  async function trunk(say: (request: SipRequest) => { status: number; headers?: SipHeader[] } | null) {
    const socket = createSocket("udp4");
    closers.push(() => void socket.close());
    socket.on("message", (bytes, from) => {
      const request = parseMessage(bytes);
      const said = request?.kind === "request" ? say(request) : null;
      if (!said || request?.kind !== "request") return;
      const answer = responseTo(request, said.status, "Said", { tag: "t", headers: said.headers ?? [] });
      socket.send(serialize(answer), from.port, from.address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return socket.address().port;
  }

  it.each([
    [200, /is there and takes requests/],
    [302, /sends us elsewhere, to <sip:there>/],
    [400, /something wrong with our request. It says: Said/],
    [401, /asks for a user name and a password \(for trunk.example\): add it again/],
    [403, /refuses us: ask its operator to allow this server's address/],
    [404, /knows nothing of the host.*says nothing against calls.*check the host/],
    [405, /doesn't take this question.*says nothing against calls/],
    [408, /what is behind it doesn't answer/],
    [480, /takes no calls at the moment/],
    [481, /for part of a call.*says nothing against calls/],
    [483, /too many others.*Check the host/],
    [499, /says nothing against calls/],
    [500, /a failure of its own/],
    [503, /takes no calls at the moment: it is overloaded.*It says: Said/],
    [504, /what is behind it doesn't answer/],
    [505, /another version of SIP/],
    [603, /refuses us/],
  ])("%i", async (status, words) => {
    const headers = [CHALLENGE, { name: "contact", value: "<sip:there>" }];
    const found = await probe(await trunk(() => ({ status, headers })));
    expect(found).toMatchObject({ status, reason: "Said", message: expect.stringMatching(words) });
  });

  it("a password: a right one, a wrong one, one that isn't asked for, and a way to ask that isn't known", async () => {
    const asks = (given: number) =>
      trunk((request) =>
        header(request, "authorization") ? { status: given } : { status: 401, headers: [CHALLENGE] },
      );
    expect((await probe(await asks(200), { credentials: ALICE })).message).toMatch(/accepts the user name/);
    const never = await trunk(() => ({ status: 401, headers: [CHALLENGE] }));
    expect((await probe(never, { credentials: ALICE })).message).toMatch(/doesn't accept the user name/);
    expect((await probe(await asks(403), { credentials: ALICE })).message).toMatch(/and the user/);
    const open = await trunk(() => ({ status: 200 }));
    expect((await probe(open, { credentials: ALICE })).message).toMatch(/didn't ask for the password/);
    const odd = await trunk(() => ({
      status: 401,
      headers: [{ name: "www-authenticate", value: 'Digest realm="r", nonce="n", algorithm=SHA-512-256' }],
    }));
    expect((await probe(odd, { credentials: ALICE })).message).toMatch(/a way that isn't known here/);
  });

  it("a trunk to register at: whether the password is right, without changing who is registered", async () => {
    const seen: SipRequest[] = [];
    const registrar = (isRight: boolean) =>
      trunk((request) => {
        seen.push(request);
        if (request.method === "OPTIONS") return { status: 200 };
        const isGiven = header(request, "authorization") !== undefined;
        return isRight && isGiven ? { status: 200 } : { status: 401, headers: [CHALLENGE] };
      });
    const more = { credentials: ALICE, register: true };
    expect((await probe(await registrar(true), more)).message).toMatch(/accepts the user name/);
    expect((await probe(await registrar(false), more)).message).toMatch(/doesn't accept the user name/);
    const registers = seen.filter(({ method }) => method === "REGISTER");
    expect(registers).toHaveLength(4);
    for (const request of registers) expect(header(request, "contact")).toBeUndefined();
  });

  it("a port where nothing listens, over UDP and TCP", async () => {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const { port } = socket.address();
    socket.close();
    await once(socket, "close");
    expect((await probe(port)).message).toMatch(/^Nothing listens at 127.0.0.1:\d+ over UDP/);
    expect((await probe(1, { protocol: "tcp" })).message).toMatch(/^Nothing listens at 127.0.0.1:1 over TCP/);
    expect((await probe(1, { protocol: "tls" })).message).toMatch(/^Nothing listens at 127.0.0.1:1 over TLS/);
  });

  it("a server that closes the connection, at once", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const startedAt = performance.now();
    const { message } = await probe(port, { protocol: "tcp" });
    expect(message).toMatch(/closes the connection at once/);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it("silence, after 5 s", async () => {
    const port = await trunk(() => null);
    const clock = manualClock();
    const probing = probeTrunk(
      { clock, bindAddress: "127.0.0.1", advertisedAddress: null },
      {
        id: "t",
        organizationId: null,
        name: "t",
        host: "127.0.0.1",
        port,
        protocol: "udp",
        credentials: null,
        channels: null,
        callsPerSecond: null,
        register: false,
      },
    );
    await expect.poll(() => clock.pending()).toBeGreaterThan(0);
    // Patience and the request's own timers.
    await expect.poll(() => clock.pending()).toBe(3);
    clock.advance(5_000);
    expect(await probing).toMatchObject({
      status: null,
      message: expect.stringMatching(/within 5 s.*firewall/),
    });
  });

  it("a name that nobody knows", async () => {
    const { message } = await probe(5060, { host: "trunk.invalid" });
    expect(message).toMatch(/^The name trunk.invalid (isn't known|can't be looked up)/);
  });

  it("a certificate that isn't believed, one for another name, and a server that speaks no TLS", async () => {
    const directory = await mkdtemp(join(tmpdir(), "outreach-probe-"));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const listen = async (server: Server) => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      closers.push(() => void server.close());
      return (server.address() as AddressInfo).port;
    };
    const [key, cert] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
    const subject = ["-subj", "/CN=other", "-addext", "subjectAltName=DNS:other.example", "-days", "2"];
    await run("openssl", [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert],
      ...subject,
    ]);
    const pair = { key: await readFile(key), cert: await readFile(cert) };
    const tls = await listen(
      createTlsServer(pair, (socket) => void socket.on("error", () => undefined)).on(
        "tlsClientError",
        () => undefined,
      ),
    );
    const unknown = await probe(tls, { protocol: "tls" });
    expect(unknown.message).toMatch(/can't be trusted: it has signed its certificate itself.*NODE_EXTRA_CA/);
    expect(unknown.message).not.toMatch(/loopback/);
    const other = await probe(tls, { protocol: "tls" }, { ca: pair.cert });
    expect(other.message).toMatch(/certificate isn't for 127.0.0.1/);
    const plain = await listen(
      createServer((socket) => {
        socket.on("error", () => undefined);
        socket.end("SSH-2.0-nothing\r\n");
      }),
    );
    expect((await probe(plain, { protocol: "tls" })).message).toMatch(/doesn't speak TLS/);
  });
});

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { encodeG711 } from "./g711.ts";
import { openRtpLeg, type RtpLegOptions } from "./rtp-leg.ts";
import { parseRtp, type RtpPacket, serializeRtp } from "./rtp-packet.ts";
import { createRtpPorts, NoRtpPortFree } from "./rtp-ports.ts";

const LOOPBACK = "127.0.0.1";
const ports = createRtpPorts({ from: 31_201, to: 31_260 });
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function leg(options: Partial<RtpLegOptions> = {}) {
  const opened = await openRtpLeg({ ports, localAddress: LOOPBACK, payloadType: "pcmu", ...options });
  cleanups.push(async () => {
    opened.close();
    await opened.closed;
  });
  return opened;
}

async function peer(address = LOOPBACK): Promise<{ socket: Socket; port: number; packets: RtpPacket[] }> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const packets: RtpPacket[] = [];
  socket.on("message", (bytes) => packets.push(parseRtp(bytes)!));
  socket.bind(0, address);
  await once(socket, "listening");
  cleanups.push(() => socket.close());
  return { socket, port: socket.address().port, packets };
}

let sequence = 0;
function audio(over: Partial<RtpPacket> = {}, length = 160): Uint8Array {
  sequence++;
  return serializeRtp({
    marker: false,
    payloadType: 0,
    sequenceNumber: sequence,
    timestamp: sequence * 160,
    ssrc: 9,
    payload: encodeG711("pcmu", new Int16Array(length).fill(4_000)),
    ...over,
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("it didn't happen");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("RTP leg", () => {
  it("takes packets from its remote only, and counts the others", async () => {
    const [friend, stranger] = [await peer(), await peer()];
    const own = await leg({ remote: { address: LOOPBACK, port: friend.port } });
    for (let count = 0; count < 3; count++) stranger.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === 3);
    friend.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsReceived === 1);
    expect(own.stats()).toMatchObject({ packetsRefused: 3, packetsReceived: 1 });
    own.setRemote({ address: LOOPBACK, port: stranger.port });
    friend.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === 4);
  });

  it("takes and sends nothing before it knows its remote", async () => {
    const friend = await peer();
    const own = await leg();
    friend.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === 1);
    own.send(new Int16Array(160));
    expect(own.stats().framesSent).toBe(0);
  });

  it("refuses wrong sizes, unknown types and broken headers, and lives on", async () => {
    const friend = await peer();
    const own = await leg({
      remote: { address: LOOPBACK, port: friend.port },
      telephoneEventPayloadType: 101,
    });
    const digits: string[] = [];
    own.onDigit((digit) => digits.push(digit));
    const broken = [
      new Uint8Array(0),
      new Uint8Array(11),
      Uint8Array.of(1, 2, 3),
      new Uint8Array(172),
      audio({}, 0),
      audio({}, 1),
      audio({}, 159),
      audio({}, 161),
      audio({}, 1_200),
      audio({ payloadType: 18 }),
      audio({ payloadType: 101, payload: Uint8Array.of(1, 2) }),
      new Uint8Array(9_000).fill(0xff),
    ];
    for (const bytes of broken) friend.socket.send(bytes, own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === broken.length);
    friend.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsReceived === 1);
    expect(digits).toEqual([]);
    expect(() => own.send(new Int16Array(159))).toThrow(RangeError);
  });

  it("follows the first audio to where it comes from when it is allowed to, once", async () => {
    const [first, second] = [await peer(), await peer()];
    const own = await leg({ latch: true, remote: { address: "192.0.2.1", port: 4_000 } });
    first.socket.send(Uint8Array.of(1), own.localPort, LOOPBACK);
    first.socket.send(audio({ payloadType: 77 }), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === 2);
    first.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsReceived === 1);
    second.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => own.stats().packetsRefused === 3);
    own.send(new Int16Array(160));
    await until(() => first.packets.length === 1);
  });

  it("numbers its packets without a gap, 160 samples apart, in its law", async () => {
    const friend = await peer();
    const own = await leg({ payloadType: "pcma", remote: { address: LOOPBACK, port: friend.port } });
    for (let frame = 0; frame < 20; frame++) own.send(new Int16Array(160).fill(frame * 100));
    await until(() => friend.packets.length === 20);
    const [first] = friend.packets;
    friend.packets.forEach((packet, at) => {
      expect(packet).toMatchObject({
        marker: at === 0,
        payloadType: 8,
        sequenceNumber: (first!.sequenceNumber + at) & 0xffff,
        timestamp: (first!.timestamp + at * 160) >>> 0,
        ssrc: first!.ssrc,
      });
      expect([...packet.payload]).toEqual([...encodeG711("pcma", new Int16Array(160).fill(at * 100))]);
    });
  });

  it("keys digits in place of audio, with the time at which each began", async () => {
    const friend = await peer();
    const own = await leg({
      remote: { address: LOOPBACK, port: friend.port },
      telephoneEventPayloadType: 96,
    });
    own.sendDigit("4", 60);
    own.sendDigit("2", 40);
    for (let frame = 0; frame < 10; frame++) own.send(new Int16Array(160));
    await until(() => friend.packets.length === 14);
    expect(friend.packets.map(({ payloadType }) => payloadType)).toEqual([
      96, 96, 96, 96, 96, 0, 0, 0, 96, 96, 96, 96, 0, 0,
    ]);
    const [four, two] = [friend.packets[0]!, friend.packets[8]!];
    expect(friend.packets.slice(0, 5).every(({ timestamp }) => timestamp === four.timestamp)).toBe(true);
    expect((two.timestamp - four.timestamp) >>> 0).toBe(6 * 160);
    expect(friend.packets[5]!.marker).toBe(true);
    expect(() => own.sendDigit("x")).toThrow(RangeError);
    await expect(leg().then((deaf) => deaf.sendDigit("1"))).rejects.toThrow("not negotiated");
  });

  it("outlives a listener that throws, and a far side where nobody listens", async () => {
    const friend = await peer();
    const errors: unknown[] = [];
    const own = await leg({
      remote: { address: LOOPBACK, port: friend.port },
      onError: (error) => errors.push(error),
    });
    own.onFirstAudio(() => {
      throw new Error("mine");
    });
    friend.socket.send(audio(), own.localPort, LOOPBACK);
    await until(() => errors.length === 1);
    const gone = await peer();
    own.setRemote({ address: LOOPBACK, port: gone.port });
    gone.socket.close();
    cleanups.splice(cleanups.length - 1, 1);
    for (let frame = 0; frame < 5; frame++) own.send(new Int16Array(160));
    await new Promise((resolve) => setImmediate(resolve));
    expect(own.stats().framesSent).toBe(5);
  });

  it("counts what is lost, and measures jitter", async () => {
    const friend = await peer();
    let nowMs = 0;
    const own = await leg({ remote: { address: LOOPBACK, port: friend.port }, now: () => nowMs });
    for (let index = 0; index < 50; index++) {
      if (index % 10 === 5) continue;
      nowMs = index * 20 + (index % 2) * 8;
      const before = own.stats().packetsReceived;
      friend.socket.send(audio({ sequenceNumber: index, timestamp: index * 160 }), own.localPort, LOOPBACK);
      await until(() => own.stats().packetsReceived > before);
      own.receive();
    }
    expect(own.stats()).toMatchObject({ packetsReceived: 45, packetsLost: 5 });
    expect(own.stats().jitterMs).toBeGreaterThan(4);
    expect(own.stats().jitterMs).toBeLessThan(8);
  });

  it("talks IPv6, also with addresses written at length", async () => {
    const friend = await peer("::1");
    const own = await leg({ localAddress: "::1", remote: { address: "0:0:0:0:0:0:0:1", port: friend.port } });
    friend.socket.send(audio(), own.localPort, "::1");
    await until(() => own.stats().packetsReceived === 1);
    own.send(new Int16Array(160));
    await until(() => friend.packets.length === 1);
  });

  it("refuses a remote that isn't an IP address and a port", async () => {
    const own = await leg();
    for (const remote of [
      { address: "example.com", port: 4_000 },
      { address: "", port: 4_000 },
      { address: LOOPBACK, port: 0 },
      { address: LOOPBACK, port: 70_000 },
    ])
      expect(() => own.setRemote(remote)).toThrow();
  });
});

describe("RTP ports", () => {
  it("are even, are skipped where others have them, run out clearly, and come back", async () => {
    const few = createRtpPorts({ from: 31_301, to: 31_308 });
    const other = createSocket("udp4");
    other.bind(31_304, LOOPBACK);
    await once(other, "listening");
    cleanups.push(() => other.close());
    const open = () => openRtpLeg({ ports: few, localAddress: LOOPBACK, payloadType: "pcmu" });
    const legs = [await open(), await open(), await open()];
    expect(legs.map(({ localPort }) => localPort)).toEqual([31_302, 31_306, 31_308]);
    await expect(open()).rejects.toThrow(NoRtpPortFree);
    await expect(open()).rejects.toThrow("31301 to 31308");
    legs[1]!.close();
    await legs[1]!.closed;
    const again = await open();
    expect(again.localPort).toBe(31_306);
    for (const each of [...legs, again]) each.close();
    await Promise.all([...legs, again].map(({ closed }) => closed));
    expect(few.inUse()).toBe(0);
  });

  it("say what is wrong with an address that isn't ours", async () => {
    const few = createRtpPorts({ from: 31_320, to: 31_330 });
    await expect(openRtpLeg({ ports: few, localAddress: "192.0.2.7", payloadType: "pcmu" })).rejects.toThrow(
      "EADDRNOTAVAIL",
    );
    expect(few.inUse()).toBe(0);
    expect(() => createRtpPorts({ from: 5, to: 5 })).toThrow(RangeError);
  });
});

// Longer than 300 lines: one socket from its opening to its end, whose state no part of it can do without.
import { randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6, SocketAddress } from "node:net";
import { decodeG711, encodeG711, type G711Law } from "./g711.ts";
import { createJitterBuffer } from "./jitter-buffer.ts";
import { FRAME_SAMPLES, type MediaLeg } from "./media-leg.ts";
import type { PacketProtection } from "./packet-protection.ts";
import { createReceiveStatistics } from "./receive-statistics.ts";
import { assertDigit, createDigitReceiver, type DigitPacket, digitPackets } from "./rfc4733.ts";
import { createReports, type Reports } from "./rtcp.ts";
import { parseRtp, RTP_HEADER_BYTES, writeRtpHeader } from "./rtp-packet.ts";
import type { RtpPorts } from "./rtp-ports.ts";

export interface RtpLegOptions {
  ports: RtpPorts;
  /** The IP address to bind. */
  localAddress: string;
  /** Where the far side's audio comes from and ours goes to. Nothing is sent or taken until it is known. */
  remote?: RtpRemote;
  /** What is sent; both laws are understood. */
  payloadType: G711Law;
  /** 96 to 127, as negotiated. Left out: keys are heard in the audio only. */
  telephoneEventPayloadType?: number;
  /** Takes the address of the first well-formed packet for the remote's (symmetric RTP, for far sides behind NAT). Default: no. */
  latch?: boolean;
  /** Exchanges reports with the far side, on the port above (RFC 3550, 6), where that is free. Default: no. */
  reports?: boolean;
  /** What a listener threw: it must not take the process with it. */
  onError?(error: unknown): void;
  /** Milliseconds that only grow. `performance.now` when left out. */
  now?(): number;
}

export interface RtpRemote {
  /** An IP address. */
  address: string;
  port: number;
}

export interface RtpLeg extends MediaLeg {
  readonly localPort: number;
  /** From now on audio goes there, and is taken from there only. */
  setRemote(remote: RtpRemote): void;
  /** What the far side has answered to the options that the leg was opened with, or wants from now on. */
  negotiated(
    agreed: Pick<RtpLegOptions, "payloadType"> & {
      telephoneEventPayloadType: number | null;
      /** Null: packets travel in the clear. */
      protection: PacketProtection | null;
    },
  ): void;
  /**
   * Keys a digit, in place of audio for so long. Several are sent one after the other.
   * @throws RangeError for what isn't a digit
   * @throws Error when telephone events weren't negotiated
   */
  sendDigit(digit: string, durationMs?: number): void;
  /** What the far side's reports tell of our audio there; null while they tell nothing. */
  reported(): ReturnType<Reports["told"]> | null;
  /** Resolves when the socket is closed and its port is free again. */
  readonly closed: Promise<void>;
}

/** RFC 3551. */
const PAYLOAD_TYPES: Readonly<Record<G711Law, number>> = { pcmu: 0, pcma: 8 };
const LAWS = new Map<number, G711Law>([
  [PAYLOAD_TYPES.pcmu, "pcmu"],
  [PAYLOAD_TYPES.pcma, "pcma"],
]);
const COMFORT_NOISE = 13;
/** 10 to 60 ms of audio, in steps of 10. */
const PAYLOAD_STEP = 80;
const MAX_PAYLOAD = 480;
/** Five seconds. */
const FRAMES_PER_REPORT = 250;
const DIGIT_MS = 100;
/** Between two digits. */
const DIGIT_GAP_FRAMES = 3;
/** A datagram that the system can't take at once is still being read when the next frame is written. */
const SEND_BUFFERS = 8;

/**
 * One call's audio over RTP (G.711, 20 ms a packet) on a UDP port of its own.
 * @throws NoRtpPortFree, or what the system says of the address
 */
export async function openRtpLeg(options: RtpLegOptions): Promise<RtpLeg> {
  const { ports, localAddress } = options;
  const { port, bound } = await ports.take((candidate) => bindSocket(localAddress, candidate));
  const above = options.reports ? await bindSocket(localAddress, port + 1).catch(() => null) : null;
  return legOver(bound, above, port, options);
}

function legOver(
  socket: Socket,
  reportSocket: Socket | null,
  localPort: number,
  options: RtpLegOptions,
): RtpLeg {
  const { ports } = options;
  let { payloadType: law, telephoneEventPayloadType: eventType } = options;
  const now = options.now ?? (() => performance.now());
  const buffer = createJitterBuffer();
  const statistics = createReceiveStatistics();
  const reports = reportSocket ? createReports(statistics, randomBytes(8).toString("hex")) : null;
  const digits = createDigitReceiver();
  const digitListeners: ((digit: string) => void)[] = [];
  let firstAudioListeners: (() => void)[] = [];
  const decoded = new Int16Array(MAX_PAYLOAD);
  const decodedFrame = decoded.subarray(0, FRAME_SAMPLES);
  const audioPackets = Array.from({ length: SEND_BUFFERS }, () => {
    const bytes = Buffer.alloc(RTP_HEADER_BYTES + FRAME_SAMPLES);
    return { bytes, payload: bytes.subarray(RTP_HEADER_BYTES) };
  });

  const ssrc = randomBytes(4).readUInt32BE();
  let sequenceNumber = randomBytes(2).readUInt16BE();
  let timestamp = randomBytes(4).readUInt32BE();
  let nextAudioPacket = 0;
  /** The next audio packet begins a stream, or goes on after a digit. */
  let marker = true;
  let keying: { frames: DigitPacket[][]; timestamp: number | null }[] = [];
  let gapFrames = 0;

  let remote = options.remote ? normalized(options.remote) : null;
  let mayLatch = options.latch ?? false;
  let open = true;
  let heardAudio = false;
  let protection: PacketProtection | null = null;
  let framesSent = 0;
  let packetsSent = 0;
  let octetsSent = 0;
  let packetsReceived = 0;
  let packetsRefused = 0;

  const isFromRemote = (from: RemoteInfo) =>
    remote !== null &&
    from.port === remote.port &&
    (from.address === remote.address || plainAddress(from.address) === remote.address);

  function receive(datagram: Uint8Array, from: RemoteInfo): void {
    if (!open) return;
    const known = isFromRemote(from);
    const readable = protection ? protection.unprotect(Buffer.from(datagram)) : datagram;
    const packet = readable && (known || mayLatch) ? parseRtp(readable) : null;
    if (!packet) {
      packetsRefused++;
      return;
    }
    const { payloadType, payload } = packet;
    const packetLaw = LAWS.get(payloadType);
    const isAudio =
      packetLaw !== undefined &&
      payload.length > 0 &&
      payload.length <= MAX_PAYLOAD &&
      payload.length % PAYLOAD_STEP === 0;
    const isEvent = payloadType === eventType && payload.length >= 4 && payload.length <= FRAME_SAMPLES;
    const isNoise = payloadType === COMFORT_NOISE && payload.length <= FRAME_SAMPLES;
    if (!(isAudio || isEvent || isNoise) || !(known || isAudio)) {
      packetsRefused++;
      return;
    }
    if (mayLatch) {
      mayLatch = false;
      remote = normalized(from);
    }
    packetsReceived++;
    const atMs = now();
    if (isAudio) {
      statistics.received(packet, atMs);
      const samples = payload.length === FRAME_SAMPLES ? decodedFrame : decoded.subarray(0, payload.length);
      buffer.push(packet, decodeG711(packetLaw, payload, samples), atMs);
      if (!heardAudio) tellFirstAudio();
      return;
    }
    // An event keeps its timestamp while it lasts, which is no jitter.
    statistics.counted(packet);
    if (isNoise) buffer.silent();
    const digit = isEvent ? digits.received(packet) : null;
    if (digit !== null) for (const listener of digitListeners) safely(() => listener(digit));
  }

  function tellFirstAudio(): void {
    heardAudio = true;
    for (const listener of firstAudioListeners.splice(0)) safely(listener);
  }

  function safely(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      options.onError?.(error);
    }
  }

  /** @param bytes room for the header, and behind it the payload */
  function transmit(type: number, marked: boolean, at: number, bytes: Buffer): void {
    sequenceNumber = (sequenceNumber + 1) & 0xffff;
    writeRtpHeader(bytes, { marker: marked, payloadType: type, sequenceNumber, timestamp: at, ssrc });
    if (!remote) return;
    packetsSent++;
    octetsSent += bytes.length - RTP_HEADER_BYTES;
    socket.send(protection?.protect(bytes) ?? bytes, remote.port, remote.address);
  }

  function report(): void {
    if (!reports || !reportSocket || !remote || remote.port === 65_535) return;
    const sent = { ssrc, packets: packetsSent, octets: octetsSent, timestamp };
    const bytes = reports.next(sent, now());
    reportSocket.send(protection?.protectReport(bytes) ?? bytes, remote.port + 1, remote.address);
  }

  /** @returns false when there is no digit to be sent */
  function sendKeyed(): boolean {
    const press = keying[0];
    if (!press || eventType === undefined) return false;
    if (gapFrames > 0) {
      gapFrames--;
      return false;
    }
    press.timestamp ??= timestamp;
    for (const packet of press.frames.shift()!) {
      const bytes = Buffer.alloc(RTP_HEADER_BYTES + packet.payload.length);
      bytes.set(packet.payload, RTP_HEADER_BYTES);
      transmit(eventType, packet.marker, press.timestamp, bytes);
    }
    if (press.frames.length === 0) {
      keying = keying.slice(1);
      gapFrames = DIGIT_GAP_FRAMES;
      marker = true;
    }
    return true;
  }

  socket.on("message", receive);
  // Nobody listens there (any more): RTP doesn't mind, and the call's end is told elsewhere.
  socket.on("error", () => undefined);
  reportSocket?.on("error", () => undefined);
  reportSocket?.on("message", (datagram, from) => {
    const isTheirs =
      remote && (from.address === remote.address || plainAddress(from.address) === remote.address);
    const readable = protection ? protection.unprotectReport(datagram) : datagram;
    if (open && isTheirs && readable) reports?.received(readable, now());
  });
  const closed = once(socket, "close").then(() => ports.release(localPort));

  return {
    localPort,
    closed,
    digitsOutOfBand: () => eventType !== undefined,
    receive: () => (open ? buffer.pull(now()) : null),
    send(samples) {
      if (!open) return;
      if (samples.length !== FRAME_SAMPLES) throw new RangeError(`A frame has ${FRAME_SAMPLES} samples.`);
      // Time passes whether or not the frame can be sent: so the far side knows where something is missing.
      timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
      if (!remote) return;
      framesSent++;
      if (framesSent % FRAMES_PER_REPORT === 0) report();
      if (sendKeyed()) return;
      nextAudioPacket = (nextAudioPacket + 1) % SEND_BUFFERS;
      const { bytes, payload } = audioPackets[nextAudioPacket]!;
      encodeG711(law, samples, payload);
      transmit(PAYLOAD_TYPES[law], marker, timestamp, bytes);
      marker = false;
    },
    setRemote(given) {
      remote = normalized(given);
      mayLatch = options.latch ?? false;
    },
    negotiated(agreed) {
      law = agreed.payloadType;
      eventType = agreed.telephoneEventPayloadType ?? undefined;
      protection = agreed.protection;
    },
    sendDigit(digit, durationMs = DIGIT_MS) {
      assertDigit(digit);
      if (eventType === undefined) throw new Error("Telephone events were not negotiated.");
      keying.push({ frames: digitPackets(digit, durationMs), timestamp: null });
    },
    onDigit(listener) {
      digitListeners.push(listener);
    },
    onFirstAudio(listener) {
      if (heardAudio) listener();
      else firstAudioListeners.push(listener);
    },
    reported: () => reports?.told() ?? null,
    stats() {
      const { framesConcealed, packetsLate, waitingMs } = buffer.stats();
      return {
        framesSent,
        packetsReceived,
        packetsLost: statistics.lost() + packetsLate,
        framesConcealed,
        packetsRefused,
        jitterMs: statistics.jitterMs(),
        delayMs: waitingMs,
      };
    },
    close() {
      if (!open) return;
      open = false;
      firstAudioListeners = [];
      reportSocket?.close();
      socket.close();
    },
  };
}

/** @returns null when the port is in use */
async function bindSocket(address: string, port: number): Promise<Socket | null> {
  const family = isIPv6(address) ? 6 : 4;
  // Only IP addresses are sent to: asking the resolver for each packet costs as much as sending it.
  const socket = createSocket({
    type: family === 6 ? "udp6" : "udp4",
    lookup: (hostname, _options, done) => done(null, hostname, family),
  });
  try {
    const bound = once(socket, "listening");
    socket.bind({ address, port, exclusive: true });
    await bound;
    return socket;
  } catch (error) {
    socket.close();
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return null;
    throw error;
  }
}

/** @throws TypeError when it isn't an IP address, RangeError when it isn't a port */
function normalized({ address, port }: RtpRemote): RtpRemote {
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) throw new RangeError("A port is 1 to 65535.");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return { address: plainAddress(new SocketAddress({ address, port, family }).address), port };
}

/** An IPv4 address as a socket for both families tells it. */
function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

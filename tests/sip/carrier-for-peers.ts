import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../../server/src/clock.ts";
import { memoryTrunkLimits } from "../../server/src/testing/voice/memory-trunk-limits.ts";
import type { CarrierEvent, EndCause } from "../../server/src/voice/carriers/carrier.ts";
import type { AnswerInbound } from "../../server/src/voice/carriers/inbound.ts";
import { createSipCarrier, resolveTarget, type Trunk } from "../../server/src/voice/carriers/sip/index.ts";
import type { MediaLeg } from "../../server/src/voice/media/media-leg.ts";
import { createRtpPorts } from "../../server/src/voice/media/rtp-ports.ts";

const ports = createRtpPorts({ from: 45_000, to: 46_999 });

export function trunkAt(port: number, more: Partial<Trunk> = {}): Trunk {
  return {
    id: `trunk-${port}`,
    organizationId: null,
    name: "a peer",
    host: "127.0.0.1",
    port,
    protocol: "udp",
    credentials: null,
    channels: null,
    callsPerSecond: null,
    register: false,
    ...more,
  };
}

interface PeerOptions {
  port?: number;
  answer?: AnswerInbound;
  ca?: Buffer;
  clock?: Clock;
}

/** The carrier on real sockets, and on the real clock unless another is given. */
export function carrierForPeers(
  trunks: readonly Trunk[],
  { port = 0, answer, ca, clock = systemClock() }: PeerOptions = {},
) {
  const told: string[] = [];
  const log = (_fields: object, message: string) => void told.push(message);
  const carrier = createSipCarrier({
    clock,
    newToken: () => randomUUID().replaceAll("-", ""),
    ports,
    source: { trunksOf: async () => [...trunks], allTrunks: async () => [...trunks] },
    limits: memoryTrunkLimits(clock),
    resolve: resolveTarget,
    bind: { address: "127.0.0.1", port },
    advertisedAddress: null,
    ...(ca ? { tls: { ca } } : {}),
    logger: { error: log, warn: log, info: log },
  });
  if (answer) carrier.answerWith(answer);
  let lastId = 0;
  const place = (options: { to?: string; ringTimeoutMs?: number } = {}) =>
    carrier.dial({
      organizationId: "o",
      callId: `call-${++lastId}`,
      from: "+12125550199",
      to: options.to ?? "+12125550100",
      ringTimeoutMs: options.ringTimeoutMs ?? 30_000,
    });
  return {
    carrier,
    /** What the log says. */
    told,
    place,
    dial: async (options?: Parameters<typeof place>[0]) => follow(await place(options)),
    close: () => carrier.close(),
  };
}

/** Listens to a call, and talks in it: a hum of 500 Hz. */
export function follow(call: {
  onEvent(listener: (event: CarrierEvent) => void): void;
  hangup(): Promise<void>;
}) {
  const types: string[] = [];
  let cause: EndCause | undefined;
  let media: MediaLeg | undefined;
  let loudFrames = 0;
  let isSilent = false;
  const digits: string[] = [];
  const hum = Int16Array.from({ length: 160 }, (_, at) => 8_000 * Math.sin((2 * Math.PI * 500 * at) / 8_000));
  const ticking = setInterval(() => {
    media?.send(hum);
    const heard = media?.receive();
    isSilent = heard === null;
    if (heard?.samples.some((sample) => Math.abs(sample) > 1_000)) loudFrames++;
  }, 20);
  call.onEvent((event) => {
    types.push(event.type);
    if (event.type === "answered") {
      media = event.media;
      media.onDigit((digit) => digits.push(digit));
    }
    if (event.type !== "ended") return;
    cause = event.cause;
    clearInterval(ticking);
  });
  return {
    types,
    cause: () => cause,
    loudFrames: () => loudFrames,
    /** Nothing comes any more. */
    isSilent: () => isSilent,
    /** Keyed there. */
    digits,
    stats: () => media?.stats(),
    hangup: () => call.hangup(),
  };
}

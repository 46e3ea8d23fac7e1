import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createEngine } from "./create-engine.ts";
import type { Database } from "./database/database.ts";
import { trunkSource } from "./features/trunks/index.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createBrowserLegs } from "./voice/browser/browser-legs.ts";
import { mediaAddresses } from "./voice/browser/media-addresses.ts";
import type { Carrier } from "./voice/carriers/carrier.ts";
import { createSimulatedCarrier, openRtpLine } from "./voice/carriers/simulated/index.ts";
import {
  createSipCarrier,
  resolveTarget,
  type SipCarrier,
  type TrunkLimits,
} from "./voice/carriers/sip/index.ts";
import { createMediaClock } from "./voice/media/media-clock.ts";
import { createRtpPorts } from "./voice/media/rtp-ports.ts";
import { loadVoiceActivity } from "./voice/media/voice-activity.ts";
import { createDetectors } from "./voice/session/create-detectors.ts";
import { createVoicePlane } from "./voice/session/create-voice-plane.ts";
import type { VoicePlane } from "./voice/session/voice-plane.ts";
import type { Speech } from "./voice/speech/index.ts";

/**
 * The plane that the configuration asks for, and its carriers. Nothing is bound before the first call.
 * @param deps `speech` stays the caller's: the plane doesn't close it
 */
export async function startVoice(deps: {
  config: Config;
  clock: Clock;
  database: Database;
  logger: Logger;
  speech: Speech;
  trunkLimits: TrunkLimits;
  /** Beside those that are made here. */
  vendorCarriers: readonly Carrier[];
  callMetrics: Pick<Metrics["calls"], "engines">;
}): Promise<{ plane: VoicePlane; carriers: readonly Carrier[]; sip: SipCarrier }> {
  const { config, clock, logger } = deps;
  const onError = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const speech: Speech = { ...deps.speech, close: async () => undefined };
  const ports = createRtpPorts(config.rtpPorts);
  const mediaClock = createMediaClock({ onError: onError("a tick of a call failed") });
  const detectors = createDetectors(await loadVoiceActivity());
  const sip = createSipCarrier({
    clock,
    newToken: () => randomUUID().replaceAll("-", ""),
    ports,
    source: trunkSource(deps.database),
    limits: deps.trunkLimits,
    resolve: resolveTarget,
    bind: config.sipBind,
    advertisedAddress: config.mediaAddress,
    logger,
  });
  const carriers = [
    sip,
    ...deps.vendorCarriers,
    createSimulatedCarrier({
      mediaClock,
      speech,
      speechDetector: detectors.speech,
      openLine: () => openRtpLine({ ports, onError: onError("a listener of a call's media failed") }),
    }),
  ];
  const plane = createVoicePlane({
    clock,
    mediaClock,
    engine: createEngine(config.voiceEngines, { clock, speech, meter: deps.callMetrics.engines }),
    speech,
    detectors,
    browserLegs: createBrowserLegs({
      addresses: mediaAddresses(config.mediaAddress, config.public.host),
      ports: config.rtpPorts,
      onError: onError("a browser's connection failed"),
    }),
    iceServers: config.iceServers,
    carriers,
    logger,
  });
  return { plane, carriers, sip };
}

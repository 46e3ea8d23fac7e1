import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import type { Notifications } from "./database/notifications.ts";
import type { OutboxDeps } from "./events/outbox.ts";
import {
  answerInboundCall,
  type CallsDeps,
  createVoiceHost,
  createVoiceSignals,
  startLeases,
  startRecovery,
  startVoiceRequests,
  type VoiceHost,
} from "./features/calls/index.ts";
import { type DialingDeps, settleAttempt } from "./features/dialing/index.ts";
import { openRecordingStore, startRecordingKeeper } from "./features/recordings/index.ts";
import { keepTrunkLimits } from "./features/trunks/index.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Carrier } from "./voice/carriers/carrier.ts";
import type { TrunkLimits } from "./voice/carriers/sip/index.ts";
import type { Vendors } from "./voice/carriers/vendors.ts";
import type { VoicePlane } from "./voice/session/voice-plane.ts";
import type { Speech } from "./voice/speech/index.ts";
import type { Worker } from "./workers/worker.ts";

export interface CallsOptions {
  /** Instead of the one that the configuration asks for. */
  plane?: VoicePlane;
  carriers?: readonly Carrier[];
  /** Running calls get this long when the service is closed. Milliseconds of real time. */
  drainMs?: number;
}

interface CallsParts extends OutboxDeps {
  database: Database;
  config: Config;
  logger: Logger;
  notifications: Notifications;
  speech: Speech;
  callMetrics: Metrics["calls"];
  /** Trunks have been added or removed, here or elsewhere. */
  onTrunksChanged(listener: () => void): void;
  dialing: DialingDeps;
}

/** What calls are made with, and what else of it the service needs to know. */
export interface StartedCalls extends CallsDeps {
  /** Null where this process has no calls over vendors' APIs. */
  vendors: Vendors | null;
  /** Lets running calls end, for a while, then ends them. */
  endCalls(): Promise<void>;
}

/** Builds what calls are made with; in a process with the role `voice` also what runs them, and who looks after them. */
export async function startCalls(
  parts: CallsParts,
  options: CallsOptions,
  closers: (() => Promise<unknown>)[],
): Promise<StartedCalls> {
  const { config, logger, notifications } = parts;
  const recordings = openRecordingStore(config, (error, key) =>
    logger.error({ err: error, key }, "a recording failed"),
  );
  closers.push(() => recordings.close());
  const signals = createVoiceSignals(notifications);
  const deps: CallsDeps = {
    ...parts,
    recordings,
    voice: null,
    settleAttempt: (transaction, end) => settleAttempt(parts.dialing, transaction, end),
    voiceRequests: signals,
  };
  const recover = (from: CallsDeps) => {
    const recovery = startRecovery(from);
    closers.push(() => recovery.stop());
  };
  if (!config.roles.has("voice")) {
    // The only process that ran calls may be the one that died.
    if (config.roles.has("janitor")) recover(deps);
    return { ...deps, vendors: null, endCalls: async () => undefined };
  }

  const keeper = startRecordingKeeper({ ...deps, logger, removesOrphans: config.roles.has("janitor") });
  closers.push(() => keeper.stop());
  const { createVendors } = await import("./voice/carriers/vendors.ts");
  const vendors = createVendors(parts);
  const { plane, carriers, sip } = options.plane
    ? { plane: options.plane, carriers: options.carriers ?? [], sip: null }
    : await loadVoice({
        ...parts,
        trunkLimits: limitsOfTrunks(parts, closers),
        vendorCarriers: vendors?.carriers ?? [],
      });
  let requests: Worker | undefined;
  const voice = createVoiceHost({
    plane,
    carriers,
    ownerId: randomUUID(),
    mostCalls: config.mostCalls,
    onDraining: () => requests?.wake(),
  });
  const running = { ...deps, voice };
  parts.callMetrics.countLive(() => plane.running().length);
  const leases = startLeases(running);
  closers.push(() => leases.stop());
  // Pages and hangups reach the calls that still run while the process is drained.
  requests = startVoiceRequests(running);
  const { wake, stop } = requests;
  signals.onAsked(voice.ownerId, wake);
  closers.push(stop);
  let ending: Promise<void> | undefined;
  const endCalls = () => {
    ending ??= closePlane(voice, options.drainMs ?? config.voiceDrainMs, logger).finally(() =>
      vendors?.close(),
    );
    return ending;
  };
  closers.push(endCalls);
  recover(running);
  if (sip) {
    parts.onTrunksChanged(sip.trunksChanged);
    sip.answerWith((call) => answerInboundCall(running, call));
  }
  vendors?.answerWith((call) => answerInboundCall(running, call));
  return { ...running, vendors, endCalls };
}

/** Closed after the calls, whose channels it gives back. */
function limitsOfTrunks(parts: CallsParts, closers: (() => Promise<unknown>)[]): TrunkLimits {
  const limits = keepTrunkLimits(parts);
  closers.push(() => limits.close());
  return limits;
}

/** Loaded only where calls are run: the libraries of voice take their time and memory. */
async function loadVoice(
  parts: CallsParts & { trunkLimits: TrunkLimits; vendorCarriers: readonly Carrier[] },
) {
  const { startVoice } = await import("./start-voice.ts");
  return startVoice(parts);
}

/** Lets running calls end, for a while; then ends them. */
async function closePlane(voice: VoiceHost, drainMs: number, logger: Logger): Promise<void> {
  const { plane } = voice;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([voice.drain(), late]);
  clearTimeout(timer);
  const left = plane.running().length;
  if (left > 0) logger.warn({ calls: left }, "ending the calls that still run");
  await plane.close();
}

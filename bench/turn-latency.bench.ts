import pino from "pino";
import { systemClock } from "../server/src/clock.ts";
import type { Carrier, CarrierEvent } from "../server/src/voice/carriers/carrier.ts";
import type { Conversation, EngineSession, VoiceEngine } from "../server/src/voice/engines/engine.ts";
import { createMediaClock } from "../server/src/voice/media/media-clock.ts";
import { FRAME_SAMPLES, SAMPLE_RATE } from "../server/src/voice/media/media-leg.ts";
import { openRtpLeg, type RtpLeg } from "../server/src/voice/media/rtp-leg.ts";
import { createRtpPorts } from "../server/src/voice/media/rtp-ports.ts";
import { loadVoiceActivity } from "../server/src/voice/media/voice-activity.ts";
import { createDetectors } from "../server/src/voice/session/create-detectors.ts";
import { createVoicePlane } from "../server/src/voice/session/create-voice-plane.ts";
import type { CallPorts } from "../server/src/voice/session/ports.ts";
import { createSpeech } from "../server/src/voice/speech/index.ts";
import { report } from "./report.ts";

/**
 * Calls over RTP on loopback, both ends paced by the real media clock, with the real ears and an engine that answers the
 * moment it is told that the caller's speech has ended.
 * Turn: from the caller's last audible frame to the first of the agent's that the caller hears.
 * Barge-in: from the caller's first audible frame to the agent's silence on the wire.
 */
const CALLS = 10;
const TURNS = 12;
/** The speech detector's own. */
const HANGOVER_MS = 640;
const AUDIBLE = 500;
const LISTEN_MS = 600;
const loud = (samples: Int16Array) => samples.some((sample) => Math.abs(sample) > AUDIBLE);

const speech = createSpeech({ workerFile: new URL("../server/dist/flite-worker.js", import.meta.url) });
const voiceActivity = await loadVoiceActivity();
const words = trimmed(await speech.synthesize("Could you tell me what this is about, please?", "angus"));
const cuttingIn = trimmed(await speech.synthesize("Wait, wait a moment, please.", "angus"));
const answer = new Int16Array(SAMPLE_RATE / 2).map((_, index) => Math.round(6_000 * Math.sin(index / 3)));
const monologue = new Int16Array(SAMPLE_RATE * 60).map((_, index) => Math.round(6_000 * Math.sin(index / 3)));

const mediaClock = createMediaClock();
const rtpPorts = createRtpPorts({ from: 21_000, to: 21_200 });
const turns: number[] = [];
const bargeIns: number[] = [];

/** Answers each speech with a short tone, and talks for a minute when it is told a digit. */
const engine: VoiceEngine = {
  name: "instant",
  transcribes: false,
  async start({ emit }: Conversation): Promise<EngineSession> {
    let count = 0;
    const say = (samples: Int16Array) => {
      const utteranceId = String(++count);
      emit({ type: "text", utteranceId, text: "tone", source: "script" });
      emit({ type: "audio", utteranceId, samples });
      emit({ type: "spoken", utteranceId });
    };
    let bargedIn = false;
    const nothing = () => undefined;
    return {
      begin: nothing,
      hear: nothing,
      speechStarted: nothing,
      speechEnded() {
        if (!bargedIn) say(answer);
        bargedIn = false;
      },
      said: nothing,
      keyed: () => say(monologue),
      interrupted() {
        bargedIn = true;
      },
      played: nothing,
      toolResult: nothing,
      say: nothing,
      close: nothing,
    };
  },
  async close() {},
};

const callers: RtpLeg[] = [];
const carrier: Carrier = {
  name: "loopback",
  async dial({ callId }) {
    const options = {
      ports: rtpPorts,
      localAddress: "127.0.0.1",
      payloadType: "pcmu",
      telephoneEventPayloadType: 101,
    } as const;
    const ours = await openRtpLeg(options);
    const theirs = await openRtpLeg({ ...options, remote: { address: "127.0.0.1", port: ours.localPort } });
    ours.setRemote({ address: "127.0.0.1", port: theirs.localPort });
    callers.push(theirs);
    return {
      sid: callId,
      onEvent(listener: (event: CarrierEvent) => void) {
        listener({ type: "answered", media: watched(ours) });
      },
      hangup: async () => theirs.close(),
    };
  },
  async close() {},
};

/** When our side last put something audible on the wire, by call: barge-in is measured there. */
const lastAudible = new Map<RtpLeg, number>();
function watched(leg: RtpLeg): RtpLeg {
  const caller = callers.at(-1) as RtpLeg;
  const send = leg.send.bind(leg);
  return Object.assign(leg, {
    send(samples: Int16Array) {
      if (loud(samples)) lastAudible.set(caller, performance.now());
      send(samples);
    },
  });
}

const ports: CallPorts = {
  async moved() {},
  async classified() {},
  takeSeat: async () => true,
  async turn() {},
  extendHold: async () => true,
  openRecording: async () => null,
  runTool: async () => ({ ok: false, error: "none" }),
  beginTransfer: async () => null,
  async endTransfer() {},
  async ended() {},
};

const plane = createVoicePlane({
  clock: systemClock(),
  mediaClock,
  engine,
  speech,
  detectors: { ...createDetectors(voiceActivity), machine: () => ({ push: () => "human" }) },
  browserLegs: {
    open() {
      throw new Error("no browsers here");
    },
    async close() {},
  },
  iceServers: [],
  carriers: [carrier],
  logger: pino({ enabled: false }),
});

for (let index = 0; index < CALLS; index++) {
  const setup = {
    organizationId: "o",
    callId: `c${index}`,
    medium: "phone",
    instructions: "",
    greeting: "",
    firstSpeaker: "user",
    voice: "angus",
    temperature: 0,
    maxDurationSeconds: 600,
    recording: false,
    recordingAnnouncement: null,
    voicemailMessage: null,
    abandonedMessage: null,
    tools: [],
    context: {},
    briefing: "",
  } as const;
  await plane.startPhoneCall(setup, ports, { carrier, from: "+15035550000", to: "+15035550100" });
}

await Promise.all(callers.map((caller, index) => talk(caller, index * 37)));
await plane.close();

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;
const shown = (values: number[]) =>
  `p50 ${percentile(values, 0.5).toFixed(0)}, p95 ${percentile(values, 0.95).toFixed(0)}, worst ${Math.max(...values).toFixed(0)} ms of ${values.length}`;
report("turn-latency", [
  {
    what: `end of the caller's speech to the agent's first audio, beyond the hangover of ${HANGOVER_MS} ms (${CALLS} calls at once)`,
    measured: shown(turns.map((turn) => turn - HANGOVER_MS)),
    reach: "p95 ≤ 300 ms",
    reached: turns.length >= (CALLS * TURNS) / 2 && percentile(turns, 0.95) - HANGOVER_MS <= 300,
  },
  {
    what: "the caller cuts in: their first sound to the agent's silence",
    measured: shown(bargeIns),
    reach: "p95 ≤ 100 ms",
    reached: bargeIns.length >= CALLS && percentile(bargeIns, 0.95) <= 100,
  },
]);

/** One caller: asks and listens, turn by turn; every third turn has the agent talk on, and cuts in. */
function talk(caller: RtpLeg, delayFrames: number): Promise<void> {
  return new Promise((resolve) => {
    let turn = 0;
    let state: "waiting" | "speaking" | "listening" = "waiting";
    let frames = -delayFrames;
    let at = 0;
    let endedAt = 0;
    let beganAt = 0;
    const silence = new Int16Array(FRAME_SAMPLES);
    const next = () => {
      if (++turn > TURNS) {
        stop();
        resolve();
        return;
      }
      state = "waiting";
      frames = 0;
    };
    const stop = mediaClock.add(() => {
      const heard = caller.receive()?.samples;
      frames++;
      const isCut = turn % 3 === 2;
      if (state === "waiting" && frames === 40 && isCut) caller.sendDigit("1");
      if (state === "waiting" && frames >= (isCut ? 120 : 60)) {
        state = "speaking";
        at = 0;
        beganAt = performance.now();
      }
      if (state === "speaking") {
        const line = isCut ? cuttingIn : words;
        caller.send(line.subarray(at, at + FRAME_SAMPLES));
        at += FRAME_SAMPLES;
        if (at + FRAME_SAMPLES > line.length) {
          state = "listening";
          endedAt = performance.now();
          frames = 0;
        }
        return;
      }
      caller.send(silence);
      if (state !== "listening") return;
      if (isCut) {
        if (frames < (HANGOVER_MS + LISTEN_MS) / 20) return;
        const silentAt = lastAudible.get(caller) ?? Number.POSITIVE_INFINITY;
        bargeIns.push(Math.max(0, silentAt - beganAt));
        next();
      } else if (heard && loud(heard)) {
        turns.push(performance.now() - endedAt);
        next();
      } else if (frames > 200) {
        turns.push(Number.POSITIVE_INFINITY);
        next();
      }
    });
  });
}

/** Without the silence before and after the words: whole frames. */
function trimmed(samples: Int16Array): Int16Array {
  const first = samples.findIndex((sample) => Math.abs(sample) > AUDIBLE);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > AUDIBLE);
  return samples.slice(first, first + Math.ceil((last - first) / FRAME_SAMPLES) * FRAME_SAMPLES);
}

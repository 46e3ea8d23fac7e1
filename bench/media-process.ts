import { createDigitDetector } from "../server/src/voice/media/dtmf.ts";
import { decodeG711, encodeG711 } from "../server/src/voice/media/g711.ts";
import { createMediaClock } from "../server/src/voice/media/media-clock.ts";
import { createPlayout } from "../server/src/voice/media/playout.ts";
import { openRtpLeg } from "../server/src/voice/media/rtp-leg.ts";
import { createRtpPorts } from "../server/src/voice/media/rtp-ports.ts";
import { loadVoiceActivity } from "../server/src/voice/media/voice-activity.ts";
import { startCallMedia } from "../server/src/voice/session/call-media.ts";
import { createCallRecorder } from "../server/src/voice/session/call-recorder.ts";
import type { MediaMessage, MediaRequest } from "./rtp-processes.ts";

/**
 * The media of many calls as the service runs it: RTP legs on one clock, voice activity, the agent's
 * speech from a playout queue, and both sides coded for the recording. Without what isn't media: engine, database, disk.
 */
const clock = createMediaClock({
  onError: (error) => {
    throw error;
  },
});
const ports = createRtpPorts({ from: 40_000, to: 47_999 });
const activity = await loadVoiceActivity();
let usage = process.cpuUsage();
const tell = (message: MediaMessage) => process.send!(message);

async function open(remotePorts: readonly number[], speech: Uint8Array): Promise<number[]> {
  const samples = decodeG711("pcmu", speech);
  const own: number[] = [];
  for (const port of remotePorts) {
    const leg = await openRtpLeg({
      ports,
      localAddress: "127.0.0.1",
      remote: { address: "127.0.0.1", port },
      payloadType: "pcmu",
      // As trunks and the simulated carrier have it: then digits aren't looked for in the audio.
      telephoneEventPayloadType: 101,
    });
    own.push(leg.localPort);
    const playout = createPlayout();
    const recorder = createCallRecorder(() => undefined);
    const sides = [new Uint8Array(160), new Uint8Array(160)] as const;
    recorder.begin(async () => ({
      write(agent, other) {
        encodeG711("pcmu", agent, sides[0]);
        encodeG711("pcmu", other, sides[1]);
      },
      finish: async () => 0,
    }));
    let utterances = 0;
    startCallMedia({
      leg,
      mediaClock: clock,
      detectors: {
        speech: () => activity.createSpeechDetector(),
        digits: createDigitDetector,
        machine: () => ({ push: () => null }),
        beep: () => ({ push: () => false }),
      },
      recorder,
      time: { ms: 0 },
      onDigit: () => undefined,
      onActivity: () => undefined,
      exchange() {
        if (playout.isEmpty()) {
          utterances++;
          playout.push(String(utterances), samples);
          playout.end(String(utterances));
        }
        return playout.next();
      },
      onSent: () => undefined,
      onLost: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
  }
  return own;
}

process.on("message", async (request: MediaRequest) => {
  if (request.type === "open") {
    tell({ type: "opened", ports: await open(request.remotePorts, Uint8Array.from(request.speech)) });
  }
  if (request.type === "measure") usage = process.cpuUsage();
  if (request.type === "report") {
    const { user, system } = process.cpuUsage(usage);
    tell({ type: "report", cpuMs: (user + system) / 1_000 });
  }
  if (request.type === "stop") process.exit(0);
});
tell({ type: "ready" });

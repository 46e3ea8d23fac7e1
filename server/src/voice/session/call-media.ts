import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "../media/media-leg.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { Detectors, SpeechActivity } from "./detectors.ts";

export interface CallMediaOptions {
  leg: MediaLeg;
  mediaClock: { add(tick: (frameIndex: number) => void): () => void };
  detectors: Detectors;
  recorder: CallRecorder;
  /** How old the media is, milliseconds: set here before anything else in a tick. */
  time: { ms: number };
  onDigit(digit: string): void;
  onActivity(activity: SpeechActivity): void;
  /** 20 ms of what the far side says. @returns what it is to hear: 160 samples; null when the call has ended */
  exchange(heard: Int16Array): Int16Array | null;
  /** The frame is on its way. */
  onSent(): void;
  /** The far side has sent nothing for 30 s. */
  onLost(): void;
  /** Something of this call threw in a tick. */
  onError(error: unknown): void;
}

/** Media that doesn't come for so long is gone for good. */
const NO_AUDIO_MS = 30_000;
const SILENCE = new Int16Array(FRAME_SAMPLES);

/**
 * Moves a call's audio, 20 ms at a time: what the far side says goes to the detectors and the call, what it is to hear
 * goes out, and both go to the recorder.
 * @returns ends it; the leg stays open
 */
export function startCallMedia(options: CallMediaOptions): () => void {
  const { leg, detectors, recorder, time, onLost } = options;
  const speech = detectors.speech();
  const digits = leg.digitsOutOfBand() ? null : detectors.digits();
  let quietMs = 0;
  let stopped = false;

  leg.onDigit((digit) => {
    if (!stopped) options.onDigit(digit);
  });

  const tick = (frameIndex: number) => {
    const ms = (frameIndex + 1) * FRAME_MS;
    // Ticks that were left out are silence in the recording, so that its time stays the call's.
    for (let missed = ms - time.ms; missed > FRAME_MS; missed -= FRAME_MS) recorder.write(SILENCE, SILENCE);
    time.ms = ms;
    const frame = leg.receive();
    const samples = frame?.samples ?? SILENCE;
    quietMs = frame && !frame.concealed ? 0 : quietMs + FRAME_MS;
    if (quietMs >= NO_AUDIO_MS) {
      onLost();
      return;
    }
    const digit = digits?.push(samples);
    if (digit) options.onDigit(digit);
    const activity = speech.push(samples);
    if (activity) options.onActivity(activity);
    const out = options.exchange(samples);
    if (!out || stopped) return;
    leg.send(out);
    recorder.write(out, samples);
    options.onSent();
  };

  const remove = options.mediaClock.add((frameIndex) => {
    if (stopped) return;
    try {
      tick(frameIndex);
    } catch (error) {
      options.onError(error);
    }
  });
  return () => {
    stopped = true;
    remove();
    speech.close();
  };
}

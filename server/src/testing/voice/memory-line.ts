import { FRAME_SAMPLES, type HeardFrame, type MediaLeg } from "../../voice/media/media-leg.ts";

/** The far end of a line in memory: what a test says into it, and what it hears there. */
export interface FarEnd {
  /** Speaks for so long: a tone of this loudness. Queued behind what is being said. */
  speak(milliseconds: number, amplitude?: number): void;
  /** Nothing more arrives, as when the network is gone. */
  vanish(): void;
  key(digit: string): void;
  /** Every frame that was sent to it, oldest first: its loudest sample. */
  readonly heard: number[];
  /** The frames themselves. */
  readonly frames: Int16Array[];
  readonly closed: boolean;
}

const SILENCE = new Int16Array(FRAME_SAMPLES);

/** A line without a network: the leg that the service holds, and the far end in the test's hand. */
export function memoryLine(): { leg: MediaLeg; far: FarEnd } {
  const digits: ((digit: string) => void)[] = [];
  const heard: number[] = [];
  const frames: Int16Array[] = [];
  let speaking: { frames: number; amplitude: number }[] = [];
  let gone = false;
  let closed = false;
  let received = 0;
  const frame: HeardFrame = { samples: SILENCE, concealed: false };

  const leg: MediaLeg = {
    receive() {
      if (closed || gone) return null;
      received++;
      const current = speaking[0];
      if (!current) {
        frame.samples = SILENCE;
        return frame;
      }
      current.frames--;
      if (current.frames <= 0) speaking = speaking.slice(1);
      frame.samples = toneFrame(current.amplitude);
      return frame;
    },
    send(samples) {
      if (closed) return;
      if (samples.length !== FRAME_SAMPLES) throw new Error(`a frame of ${samples.length} samples`);
      heard.push(samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0));
      frames.push(samples.slice());
    },
    digitsOutOfBand: () => true,
    onDigit: (listener) => void digits.push(listener),
    onFirstAudio: (listener) => queueMicrotask(listener),
    stats: () => ({
      framesSent: heard.length,
      packetsReceived: received,
      packetsLost: 0,
      framesConcealed: 0,
      packetsRefused: 0,
      jitterMs: 0,
      delayMs: 0,
    }),
    close() {
      closed = true;
    },
  };
  return {
    leg,
    far: {
      speak: (milliseconds, amplitude = 8_000) =>
        void speaking.push({ frames: Math.ceil(milliseconds / 20), amplitude }),
      vanish() {
        gone = true;
      },
      key(digit) {
        for (const listener of digits) listener(digit);
      },
      heard,
      frames,
      get closed() {
        return closed;
      },
    },
  };
}

function toneFrame(amplitude: number): Int16Array {
  return Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => (index % 2 ? amplitude : -amplitude));
}

/** A line whose two ends are both legs: what one sends the other receives, a frame later. */
export function crossedLegs(): { ours: MediaLeg; theirs: MediaLeg } {
  const toTheirs: Int16Array[] = [];
  const toOurs: Int16Array[] = [];
  const end = (incoming: Int16Array[], outgoing: Int16Array[]): MediaLeg => {
    let closed = false;
    let framesSent = 0;
    return {
      receive() {
        const samples = closed ? undefined : incoming.shift();
        return samples ? { samples, concealed: false } : null;
      },
      send(samples) {
        if (closed) return;
        framesSent++;
        outgoing.push(samples.slice());
      },
      digitsOutOfBand: () => true,
      onDigit() {},
      onFirstAudio: (listener) => queueMicrotask(listener),
      stats: () => ({
        framesSent,
        packetsReceived: 0,
        packetsLost: 0,
        framesConcealed: 0,
        packetsRefused: 0,
        jitterMs: 0,
        delayMs: 0,
      }),
      close() {
        closed = true;
      },
    };
  };
  return { ours: end(toOurs, toTheirs), theirs: end(toTheirs, toOurs) };
}

import { createConcealer } from "../../media/concealment.ts";
import { FRAME_SAMPLES, type HeardFrame, SAMPLE_RATE } from "../../media/media-leg.ts";

/** Turns audio that comes in order, but in bursts (as TCP brings it), into 20 ms every 20 ms. */
export interface BurstBuffer {
  /** Any number of samples; copied. */
  push(samples: Int16Array): void;
  /** The 20 ms that are due; null while nothing has come for 200 ms. Valid until the next call. */
  pull(): HeardFrame | null;
  stats(): {
    framesConcealed: number;
    /** Of what came, so much was given up because it would have been heard far too late. */
    framesDropped: number;
    /** How much audio waits, milliseconds. */
    waitingMs: number;
  };
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
/** A second: who talks is answered later by as much as waits here. */
const MOST_WAITING = SAMPLE_RATE;
const SHORTEST_TARGET = 2 * FRAME_SAMPLES;
const LONGEST_TARGET = 8 * FRAME_SAMPLES;
/** So many frames of nothing are made up for; then the far side counts as silent. */
const IDLE_FRAMES = 10;
/** What has waited needlessly for so many frames is caught up with, a frame at a time: talk becomes a tenth faster. */
const STEADY_FRAMES = 10;
/** The connection has been even for so long (10 s): less needs to wait. */
const EVEN_FRAMES = 500;

export function createBurstBuffer(): BurstBuffer {
  const concealer = createConcealer();
  const ring = new Int16Array(MOST_WAITING);
  const frame: HeardFrame = { samples: new Int16Array(FRAME_SAMPLES), concealed: false };
  const following = new Int16Array(FRAME_SAMPLES);
  let readAt = 0;
  let waiting = 0;
  let target = SHORTEST_TARGET;
  /** More is gathered before anything is played: at the start, and when it ran dry. */
  let isGathering = true;
  let emptyFrames = IDLE_FRAMES;
  let evenFrames = 0;
  let steadyFrames = 0;
  let leastWaiting = MOST_WAITING;
  let framesConcealed = 0;
  let samplesDropped = 0;

  function take(into: Int16Array): void {
    const first = Math.min(into.length, ring.length - readAt);
    into.set(ring.subarray(readAt, readAt + first));
    into.set(ring.subarray(0, into.length - first), first);
    drop(into.length);
  }

  function drop(samples: number): void {
    readAt = (readAt + samples) % ring.length;
    waiting -= samples;
  }

  function starve(): HeardFrame | null {
    if (++emptyFrames > IDLE_FRAMES) return null;
    framesConcealed++;
    concealer.conceal(frame.samples);
    frame.concealed = true;
    return frame;
  }

  function isBehind(): boolean {
    leastWaiting = Math.min(leastWaiting, waiting);
    if (++steadyFrames < STEADY_FRAMES) return false;
    const excess = leastWaiting - target;
    steadyFrames = 0;
    leastWaiting = MOST_WAITING;
    return excess >= FRAME_SAMPLES;
  }

  return {
    push(samples) {
      const tooMany = Math.max(0, samples.length - ring.length);
      const kept = samples.subarray(tooMany);
      const overflow = Math.max(0, waiting + kept.length - ring.length);
      drop(overflow);
      samplesDropped += overflow + tooMany;
      const writeAt = (readAt + waiting) % ring.length;
      const first = Math.min(kept.length, ring.length - writeAt);
      ring.set(kept.subarray(0, first), writeAt);
      ring.set(kept.subarray(first), 0);
      waiting += kept.length;
    },
    pull() {
      if (isGathering && waiting < target) return starve();
      isGathering = false;
      if (waiting < FRAME_SAMPLES) {
        isGathering = true;
        // A far side that fell silent says nothing of the connection; one that goes on soon does.
        target = Math.min(LONGEST_TARGET, target + FRAME_SAMPLES);
        evenFrames = 0;
        return starve();
      }
      emptyFrames = 0;
      if (++evenFrames >= EVEN_FRAMES) {
        evenFrames = 0;
        target = Math.max(SHORTEST_TARGET, target - FRAME_SAMPLES);
      }
      const catchesUp = isBehind();
      take(frame.samples);
      if (catchesUp) {
        take(following);
        samplesDropped += FRAME_SAMPLES;
        for (let at = 0; at < FRAME_SAMPLES; at++)
          frame.samples[at] =
            frame.samples[at]! + ((following[at]! - frame.samples[at]!) * at) / FRAME_SAMPLES;
      }
      concealer.heard(frame.samples);
      frame.concealed = false;
      return frame;
    },
    stats: () => ({
      framesConcealed,
      framesDropped: Math.ceil(samplesDropped / FRAME_SAMPLES),
      waitingMs: waiting / SAMPLES_PER_MS,
    }),
  };
}

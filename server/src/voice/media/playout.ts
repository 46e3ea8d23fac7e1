import { FRAME_SAMPLES, SAMPLE_RATE } from "./media-leg.ts";

/** What the agent is about to say, as it waits for its turn on the wire. */
export interface PlayoutQueue {
  /** Appends audio to an utterance: 8 kHz, mono, 16-bit, any length. The samples are copied. Audio of an utterance that was flushed or ended is ignored. */
  push(utteranceId: string, samples: Int16Array): void;
  /** No more audio of it will come. An utterance without any audio is played to its end when its turn comes. */
  end(utteranceId: string): void;
  /**
   * The next 20 ms: 160 samples, silence when nothing is queued. Valid until the next call.
   * Utterances play whole, in the order in which they began, without a gap where the next one is there already.
   */
  next(): Int16Array;
  /**
   * Throws away whatever is queued: the person cut in. What still comes of these utterances is ignored.
   * @returns null when nothing was queued
   */
  flush(): Flushed | null;
  /** True when `next()` would return silence because nothing at all is queued. */
  isEmpty(): boolean;
  /** How much audio waits, milliseconds. */
  queuedMs(): number;
  /** How much was refused because too much waited already, milliseconds. */
  refusedMs(): number;
}

export interface Flushed {
  /** The utterance that was playing, or would have been the next. */
  utteranceId: string;
  /** So much of it was played, milliseconds. */
  playedMs: number;
  /** Utterances behind it, of which nothing was played. */
  unplayed: string[];
}

export interface PlayoutOptions {
  /** Called for each `next()` that has audio of an utterance in it. */
  onPlaying?(utteranceId: string): void;
  /** Called when all audio of an utterance has been played: one `next()` after the one that returned its last samples. */
  onPlayed?(utteranceId: string): void;
  /** More than this isn't kept: 12 minutes (11.5 MB) when left out. */
  maxQueuedMs?: number;
  /** Once `maxQueuedMs` is reached: with the milliseconds that were refused. */
  onRefused?(refusedMs: number): void;
}

interface Utterance {
  id: string;
  /** The first has been read up to `readAt`; the last is written up to `writtenTo`, the others are full. */
  blocks: Int16Array[];
  readAt: number;
  writtenTo: number;
  waiting: number;
  played: number;
  ended: boolean;
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
const DEFAULT_MAX_QUEUED_MS = 12 * 60_000;
/** One second each: many small pushes cost no more than one large. */
const BLOCK_SAMPLES = SAMPLE_RATE;
/** An engine that forgets to end an utterance must not hold up the next for ever: so many frames without audio end it. */
const STARVED_FRAMES = 50;
/** So many may wait at once, and so many ids are remembered whose late audio is ignored. */
const MAX_UTTERANCES = 256;

export function createPlayout(options: PlayoutOptions = {}): PlayoutQueue {
  const maxQueued = (options.maxQueuedMs ?? DEFAULT_MAX_QUEUED_MS) * SAMPLES_PER_MS;
  const frame = new Int16Array(FRAME_SAMPLES);
  const closed = new Set<string>();
  let utterances: Utterance[] = [];
  let waiting = 0;
  let refused = 0;
  let starvedFrames = 0;

  function open(utteranceId: string): Utterance | undefined {
    const known = utterances.find(({ id }) => id === utteranceId);
    if (known) return known.ended ? undefined : known;
    if (closed.has(utteranceId) || utterances.length === MAX_UTTERANCES) return undefined;
    const made = {
      id: utteranceId,
      blocks: [],
      readAt: 0,
      writtenTo: BLOCK_SAMPLES,
      waiting: 0,
      played: 0,
      ended: false,
    };
    utterances.push(made);
    return made;
  }

  function close(utteranceId: string): void {
    closed.add(utteranceId);
    if (closed.size > MAX_UTTERANCES) closed.delete(closed.values().next().value!);
  }

  /** Tells of every utterance at the head that has been played; returns when one that has audio, or isn't ended, is there. */
  function settlePlayed(): void {
    for (let head = utterances[0]; head?.ended && head.waiting === 0; head = utterances[0]) {
      utterances.shift();
      close(head.id);
      options.onPlayed?.(head.id);
    }
  }

  return {
    push(utteranceId, samples) {
      if (samples.length === 0) return;
      const utterance = open(utteranceId);
      if (!utterance) return;
      const taken = Math.max(0, Math.min(samples.length, maxQueued - waiting));
      append(utterance, samples.subarray(0, taken));
      waiting += taken;
      if (taken === samples.length) return;
      refused += samples.length - taken;
      options.onRefused?.((samples.length - taken) / SAMPLES_PER_MS);
    },
    end(utteranceId) {
      const utterance = open(utteranceId);
      if (utterance) utterance.ended = true;
    },
    next() {
      settlePlayed();
      let filled = 0;
      for (const utterance of utterances) {
        // What isn't a frame yet waits for the rest, so that audio that comes in odd pieces isn't torn apart by silence.
        if (!utterance.ended && filled + utterance.waiting < FRAME_SAMPLES) break;
        const taken = take(utterance, frame, filled);
        filled += taken;
        waiting -= taken;
        if (taken > 0) options.onPlaying?.(utterance.id);
        if (filled === FRAME_SAMPLES) break;
      }
      frame.fill(0, filled);
      starvedFrames = filled === 0 && utterances.length > 1 ? starvedFrames + 1 : 0;
      if (starvedFrames >= STARVED_FRAMES) utterances[0]!.ended = true;
      return frame;
    },
    flush() {
      // The frame of its last samples was handed out: nothing of it can be taken back.
      settlePlayed();
      const [head, ...behind] = utterances;
      for (const utterance of utterances) close(utterance.id);
      utterances = [];
      waiting = 0;
      starvedFrames = 0;
      if (!head) return null;
      return {
        utteranceId: head.id,
        playedMs: head.played / SAMPLES_PER_MS,
        unplayed: behind.map(({ id }) => id),
      };
    },
    isEmpty: () => utterances.length === 0,
    queuedMs: () => waiting / SAMPLES_PER_MS,
    refusedMs: () => refused / SAMPLES_PER_MS,
  };
}

function append(utterance: Utterance, samples: Int16Array): void {
  for (let from = 0; from < samples.length; ) {
    if (utterance.writtenTo === BLOCK_SAMPLES) {
      utterance.blocks.push(new Int16Array(BLOCK_SAMPLES));
      utterance.writtenTo = 0;
    }
    const part = samples.subarray(from, from + BLOCK_SAMPLES - utterance.writtenTo);
    utterance.blocks.at(-1)!.set(part, utterance.writtenTo);
    utterance.writtenTo += part.length;
    from += part.length;
  }
  utterance.waiting += samples.length;
}

/** Moves what fits behind `at` into the frame. */
function take(utterance: Utterance, frame: Int16Array, at: number): number {
  let taken = 0;
  while (utterance.waiting > 0 && at + taken < frame.length) {
    const block = utterance.blocks[0]!;
    const count = Math.min(frame.length - at - taken, BLOCK_SAMPLES - utterance.readAt, utterance.waiting);
    frame.set(block.subarray(utterance.readAt, utterance.readAt + count), at + taken);
    utterance.readAt += count;
    utterance.waiting -= count;
    utterance.played += count;
    taken += count;
    if (utterance.readAt === BLOCK_SAMPLES) {
      utterance.blocks.shift();
      utterance.readAt = 0;
    }
  }
  return taken;
}

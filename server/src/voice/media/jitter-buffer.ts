import { type ArrivalDelays, createArrivalDelays } from "./arrival-delays.ts";
import { createConcealer } from "./concealment.ts";
import { FRAME_MS, FRAME_SAMPLES, type HeardFrame, SAMPLE_RATE } from "./media-leg.ts";
import { distance16, distance32 } from "./rtp-packet.ts";

export interface PacketTimes {
  ssrc: number;
  /** 16 bits, wraps. */
  sequenceNumber: number;
  /** 32 bits, wraps; in samples. */
  timestamp: number;
}

/** Turns packets, as a network brings them, into 20 ms of audio every 20 ms. */
export interface JitterBuffer {
  /** @param samples as many as the packet holds; copied */
  push(packet: PacketTimes, samples: Int16Array, nowMs: number): void;
  /** The far side said that it is silent and will send nothing (RFC 3389). */
  silent(): void;
  /**
   * The 20 ms that are due. To be called every 20 ms; several calls at once are fine when the process had stalled.
   * @returns null while nothing has come for 200 ms. The samples are valid until the next call.
   */
  pull(nowMs: number): HeardFrame | null;
  stats(): JitterBufferStats;
}

export interface JitterBufferStats {
  framesConcealed: number;
  /** Packets that came too late to be played. */
  packetsLate: number;
  /** How much audio waits, milliseconds. */
  waitingMs: number;
  /** How long after the fastest packet's arrival its audio would be played: what the buffer adds, milliseconds. */
  delayMs: number;
}

interface Waiting {
  /** Media time in samples, without wraps. */
  time: number;
  sequenceNumber: number;
  samples: Int16Array;
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
const SHORTEST_DELAY_MS = 20;
const DEFAULT_MAX_DELAY_MS = 120;
/** A packet whose time is that far off belongs to another stream. */
const LEAP_MS = 1_000;
/** So many too late in a row: it is our idea of their time that is wrong. */
const LATE_RUN = 5;
const MAX_WAITING = 128;
const MAX_SPARE = 16;
const IDLE_FRAMES = 10;
/** Shorter than this many calls a delay may be a stall of ours, which passes. */
const STEADY_PULLS = 8;
/** After a far side said that it is silent, so many frames of silence are taken for it: 30 s. */
const SILENT_FRAMES = 1_500;

export function createJitterBuffer({ maxDelayMs = DEFAULT_MAX_DELAY_MS } = {}): JitterBuffer {
  const concealer = createConcealer();
  const frame: HeardFrame = { samples: new Int16Array(FRAME_SAMPLES), concealed: false };
  const following = new Int16Array(FRAME_SAMPLES);
  const recentDelays: number[] = [];
  /** Arrays of packets that were played, for the next ones. */
  const spare: Int16Array[] = [];
  let delays: ArrivalDelays = createArrivalDelays();
  let waiting: Waiting[] = [];
  let last: (PacketTimes & { time: number; transitMs: number }) | null = null;
  /** The first packet of what may be another stream: one more is needed to believe it. */
  let stranger: PacketTimes | null = null;
  /** Media time of the next frame; null while it is waited for the first packet. */
  let playAt: number | null = null;
  let lastPlayed: number | null = null;
  let lateRun = 0;
  let emptyFrames = IDLE_FRAMES;
  let silentFrames = 0;
  /** Between two packets of which the far side said that nothing lies between them. */
  let pausing = false;
  let framesConcealed = 0;
  let packetsLate = 0;
  let delay = 0;

  const targetMs = () =>
    Math.max(SHORTEST_DELAY_MS, Math.min(maxDelayMs - FRAME_MS, Math.round(delays.neededMs())));

  /** Forgets the stream's times. */
  function begin(): void {
    delays = createArrivalDelays();
    waiting = [];
    playAt = null;
    lateRun = 0;
    last = null;
  }

  function isAnother(packet: PacketTimes, nowMs: number): boolean {
    if (!last) return false;
    const transitMs = nowMs - (last.time + distance32(packet.timestamp, last.timestamp)) / SAMPLES_PER_MS;
    if (packet.ssrc === last.ssrc && Math.abs(transitMs - last.transitMs) <= LEAP_MS) {
      stranger = null;
      return false;
    }
    const follows =
      stranger?.ssrc === packet.ssrc &&
      distance16(packet.sequenceNumber, stranger.sequenceNumber) === 1 &&
      Math.abs(distance32(packet.timestamp, stranger.timestamp)) < LEAP_MS * SAMPLES_PER_MS;
    stranger = {
      ssrc: packet.ssrc,
      sequenceNumber: packet.sequenceNumber,
      timestamp: packet.timestamp,
    };
    if (!follows) return true;
    stranger = null;
    begin();
    lastPlayed = null;
    return false;
  }

  function insert(packet: Waiting): void {
    let at = waiting.length;
    while (at > 0 && waiting[at - 1]!.time > packet.time) at--;
    if (at > 0 && waiting[at - 1]!.time === packet.time) return;
    waiting.splice(at, 0, packet);
    if (waiting.length > MAX_WAITING) waiting.shift();
  }

  /** Copies what waits of the 20 ms from `time` on. @returns how many samples there were */
  function gather(time: number, into: Int16Array): number {
    let covered = 0;
    let filledTo = time;
    for (const packet of waiting) {
      const from = Math.max(filledTo, packet.time);
      const to = Math.min(time + FRAME_SAMPLES, packet.time + packet.samples.length);
      if (from >= to) {
        if (packet.time >= time + FRAME_SAMPLES) break;
        continue;
      }
      const isWhole = to - from === packet.samples.length;
      const part = isWhole ? packet.samples : packet.samples.subarray(from - packet.time, to - packet.time);
      into.set(part, from - time);
      covered += to - from;
      filledTo = to;
    }
    return covered;
  }

  function moveTo(time: number): void {
    playAt = time;
    for (let first = waiting[0]; first; first = waiting[0]) {
      if (first.time + first.samples.length > time) break;
      lastPlayed = first.sequenceNumber;
      waiting.shift();
      if (first.samples.length === FRAME_SAMPLES && spare.length < MAX_SPARE) spare.push(first.samples);
    }
  }

  function heard(): HeardFrame {
    emptyFrames = 0;
    concealer.heard(frame.samples);
    frame.concealed = false;
    return frame;
  }

  function silence(): HeardFrame {
    frame.samples.fill(0);
    return heard();
  }

  function idle(): HeardFrame | null {
    emptyFrames++;
    if (pausing) return silence();
    if (silentFrames > 0) {
      silentFrames--;
      return silence();
    }
    if (emptyFrames > IDLE_FRAMES || lastPlayed === null) return null;
    return conceal(0);
  }

  /** @param covered samples of the frame that are there: they are heard where they are */
  function conceal(covered: number): HeardFrame {
    framesConcealed++;
    concealer.conceal(frame.samples);
    if (covered > 0) gather(playAt!, frame.samples);
    frame.concealed = true;
    return frame;
  }

  function measure(nowMs: number): void {
    delay = nowMs - delays.fastestMs() - playAt! / SAMPLES_PER_MS;
    recentDelays.push(delay);
    if (recentDelays.length > STEADY_PULLS) recentDelays.shift();
  }

  /** What is waited for beyond need is given up: at once when it is far too much, else by one frame where two are at hand. */
  function catchUp(): boolean {
    // The usual case, told before anything is gone through: the least of them is no more than the last.
    if (recentDelays.length < STEADY_PULLS || delay - targetMs() < FRAME_MS) return false;
    const excess = Math.min(...recentDelays) - targetMs();
    if (delay > maxDelayMs && excess > FRAME_MS) {
      recentDelays.length = 0;
      moveTo(playAt! + Math.floor(excess / FRAME_MS) * FRAME_SAMPLES);
      return false;
    }
    if (excess < FRAME_MS || gather(playAt!, frame.samples) < FRAME_SAMPLES) return false;
    if (gather(playAt! + FRAME_SAMPLES, following) < FRAME_SAMPLES) return false;
    for (let at = 0; at < FRAME_SAMPLES; at++)
      frame.samples[at] = frame.samples[at]! + ((following[at]! - frame.samples[at]!) * at) / FRAME_SAMPLES;
    recentDelays.length = 0;
    moveTo(playAt! + 2 * FRAME_SAMPLES);
    return true;
  }

  function waitingMs(): number {
    const newest = waiting.at(-1);
    if (!newest) return 0;
    return (newest.time + newest.samples.length - Math.max(playAt ?? 0, waiting[0]!.time)) / SAMPLES_PER_MS;
  }

  return {
    push(packet, samples, nowMs) {
      if (samples.length === 0 || isAnother(packet, nowMs)) return;
      const time = last ? last.time + distance32(packet.timestamp, last.timestamp) : 0;
      const transitMs = nowMs - time / SAMPLES_PER_MS;
      last = {
        ssrc: packet.ssrc,
        sequenceNumber: packet.sequenceNumber,
        timestamp: packet.timestamp,
        time,
        transitMs,
      };
      silentFrames = 0;
      emptyFrames = 0;
      delays.arrived(transitMs);
      // Played already, or what came after it was.
      if (lastPlayed !== null && distance16(packet.sequenceNumber, lastPlayed) <= 0) {
        if (packet.sequenceNumber !== lastPlayed) packetsLate++;
        return;
      }
      if (playAt !== null && time + samples.length <= playAt) {
        packetsLate++;
        lateRun++;
        if (lateRun >= LATE_RUN) begin();
        return;
      }
      lateRun = 0;
      const room = samples.length === FRAME_SAMPLES ? spare.pop() : undefined;
      const copy = room ?? new Int16Array(samples.length);
      copy.set(samples);
      insert({ time, sequenceNumber: packet.sequenceNumber, samples: copy });
    },
    silent() {
      silentFrames = SILENT_FRAMES;
    },
    pull(nowMs) {
      if (playAt === null) {
        const first = waiting[0];
        if (!first || nowMs - delays.fastestMs() - first.time / SAMPLES_PER_MS < targetMs()) return idle();
        playAt = first.time;
        pausing = false;
        recentDelays.length = 0;
      }
      measure(nowMs);
      if (catchUp()) return heard();
      const covered = gather(playAt, frame.samples);
      if (covered >= FRAME_SAMPLES) {
        moveTo(playAt + FRAME_SAMPLES);
        return heard();
      }
      const next = waiting[0];
      if (next && covered === 0 && lastPlayed !== null && distance16(next.sequenceNumber, lastPlayed) === 1) {
        // Nothing is missing between them: the far side said nothing, and goes on as if it began.
        playAt = null;
        pausing = true;
        return silence();
      }
      if (!next && (silentFrames > 0 || ++emptyFrames > IDLE_FRAMES)) {
        playAt = null;
        return idle();
      }
      // Where there is time left the frame is waited for: so the buffer grows to what the network needs.
      const made = conceal(covered);
      if (covered > 0 || delay + FRAME_MS / 2 >= targetMs()) moveTo(playAt + FRAME_SAMPLES);
      return made;
    },
    stats: () => ({ framesConcealed, packetsLate, waitingMs: waitingMs(), delayMs: delay }),
  };
}

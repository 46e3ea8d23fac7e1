import { FRAME_MS } from "./media-leg.ts";

/** Ticks every call of the process once in 20 ms, from one timer. */
export interface MediaClock {
  /**
   * @param tick called every 20 ms of real time. `frameIndex` counts these periods since it was added, from 0, and jumps
   *   where periods were skipped: the call is always `frameIndex × 20` ms old. A tick that throws disturbs no other.
   * @returns ends the ticks. Idempotent; may be called from within a tick.
   */
  add(tick: (frameIndex: number) => void): () => void;
  stats(): MediaClockStats;
  /** Ends all ticks. Idempotent. */
  close(): void;
}

export interface MediaClockStats {
  ticks: number;
  /** Came more than one period late, and were made up for. */
  ticksLate: number;
  /** Left out because the process had stalled for longer than is made up for. */
  ticksSkipped: number;
  ticksFailed: number;
}

export interface MediaClockOptions {
  /** What a tick threw. */
  onError?(error: unknown): void;
  /** So many frames are made up for after a stall; what is older is skipped. 5 (100 ms) when left out. */
  maxCatchUpFrames?: number;
  /** Milliseconds that only grow. `performance.now` when left out. */
  now?(): number;
  /** Runs something once, later; returns what cancels it. `setTimeout` when left out. */
  schedule?(run: () => void, delayMs: number): () => void;
}

interface Member {
  tick(frameIndex: number): void;
  /** The number of the slot in which it has its first tick. */
  firstSlot: number;
  gone: boolean;
}

/**
 * The 20 ms are cut into so many slots: what all calls together need doesn't come in one burst, so that none waits for all
 * the others. A slot is filled before the next is used, since each one wakes the process once more: with four of them
 * 50 calls cost a quarter more than with one.
 */
const SLOTS = 4;
/** Some 4 ms of work. When all are full, calls are dealt out evenly. */
const FULL_SLOT = 64;
const SLOT_MS = FRAME_MS / SLOTS;
const DEFAULT_CATCH_UP_FRAMES = 5;

export function createMediaClock(options: MediaClockOptions = {}): MediaClock {
  const now = options.now ?? (() => performance.now());
  const schedule = options.schedule ?? scheduleByTimer;
  const maxSlotsBehind = (options.maxCatchUpFrames ?? DEFAULT_CATCH_UP_FRAMES) * SLOTS;
  const slots: Member[][] = Array.from({ length: SLOTS }, () => []);
  const counts = { ticks: 0, ticksLate: 0, ticksSkipped: 0, ticksFailed: 0 };
  let closed = false;
  /** Slot n is due at `origin + n × SLOT_MS`: an absolute schedule, so that no lateness adds up. */
  const origin = now();
  let nextSlot = 0;
  let cancel: (() => void) | null = null;

  const slotAt = (time: number) => Math.floor((time - origin) / SLOT_MS);
  const members = () => slots.reduce((sum, slot) => sum + slot.length, 0);

  function arm(): void {
    cancel?.();
    cancel = null;
    if (closed || members() === 0) return;
    let due = nextSlot;
    while (slots[due % SLOTS]!.length === 0) due++;
    cancel = schedule(run, Math.max(0, origin + due * SLOT_MS - now()));
  }

  function run(): void {
    cancel = null;
    // Fixed before the first tick: ticks that take too long can't keep the process from its sockets.
    const dueSlot = slotAt(now());
    const behind = dueSlot - nextSlot;
    if (behind > maxSlotsBehind) {
      const frames = Math.ceil((behind - maxSlotsBehind) / SLOTS);
      counts.ticksSkipped += frames * members();
      nextSlot += frames * SLOTS;
    }
    for (; nextSlot <= dueSlot && !closed; nextSlot++) {
      for (const member of slots[nextSlot % SLOTS]!) {
        if (member.gone || nextSlot < member.firstSlot) continue;
        counts.ticks++;
        if (dueSlot - nextSlot > SLOTS) counts.ticksLate++;
        try {
          member.tick((nextSlot - member.firstSlot) / SLOTS);
        } catch (error) {
          counts.ticksFailed++;
          options.onError?.(error);
        }
      }
    }
    arm();
  }

  return {
    add(tick) {
      // Slots that passed while nobody listened aren't made up for.
      if (members() === 0) nextSlot = Math.max(nextSlot, slotAt(now()) + 1);
      let slot = slots.findIndex((calls) => calls.length < FULL_SLOT);
      if (slot < 0)
        slot = slots.indexOf(slots.reduce((least, calls) => (calls.length < least.length ? calls : least)));
      const earliest = Math.max(nextSlot, slotAt(now()) + 1);
      const member = {
        tick,
        firstSlot: earliest + ((slot - (earliest % SLOTS) + SLOTS) % SLOTS),
        gone: false,
      };
      // A new array each time: a tick may add and remove while its slot is being gone through.
      slots[slot] = [...slots[slot]!, member];
      if (cancel === null || slots[slot]!.length === 1) arm();
      return () => {
        if (member.gone) return;
        member.gone = true;
        slots[slot] = slots[slot]!.filter((other) => other !== member);
        if (members() === 0) arm();
      };
    },
    stats: () => ({ ...counts }),
    close() {
      closed = true;
      arm();
    },
  };
}

function scheduleByTimer(run: () => void, delayMs: number): () => void {
  // Timers run up to a millisecond early or late; early would find nothing due and cost another turn.
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // Timers come before sockets in a turn of the event loop: after a stall the packets that waited are read first.
    immediate = setImmediate(run);
  }, Math.ceil(delayMs));
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

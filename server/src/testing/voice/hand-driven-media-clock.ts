import { FRAME_MS } from "../../voice/media/media-leg.ts";
import type { ManualClock } from "../manual-clock.ts";

/** A media clock whose ticks are made by hand; the service's clock goes with it. */
export interface HandDrivenMediaClock {
  add(tick: (frameIndex: number) => void): () => void;
  close(): void;
  /** Lets everything that is under way settle, then ticks once, and moves the clock by 20 ms. */
  tick(): Promise<void>;
  /** Ticks for so long. */
  run(milliseconds: number): Promise<void>;
  /**
   * Ticks until it is so.
   * @param ready whether the next tick may come yet: false while something takes real time
   * @throws Error after `withinMs` of media time
   */
  until(condition: () => boolean, withinMs?: number, ready?: () => boolean): Promise<void>;
  /** How many are ticked: what a test that ends every call expects to be 0. */
  members(): number;
}

export function handDrivenMediaClock(clock: ManualClock): HandDrivenMediaClock {
  const members = new Set<{ tick(frameIndex: number): void; frames: number }>();
  const tick = async () => {
    // Twice: what the first turn of the loop settles may have begun something that the second does.
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(FRAME_MS);
    for (const member of [...members]) if (members.has(member)) member.tick(member.frames++);
  };
  const until = async (condition: () => boolean, withinMs = 120_000, ready = () => true) => {
    for (let elapsedMs = 0; !condition(); elapsedMs += FRAME_MS) {
      if (elapsedMs >= withinMs) throw new Error(`it wasn't so within ${withinMs} ms of media`);
      while (!ready()) await new Promise<void>((resolve) => setImmediate(resolve));
      await tick();
    }
  };
  return {
    add(run) {
      const member = { tick: run, frames: 0 };
      members.add(member);
      return () => void members.delete(member);
    },
    close: () => members.clear(),
    tick,
    async run(milliseconds) {
      for (let elapsedMs = 0; elapsedMs < milliseconds; elapsedMs += FRAME_MS) await tick();
    },
    until,
    members: () => members.size,
  };
}

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../../clock.ts";
import type { Trunk } from "./trunk.ts";
import { type HeldLine, LONGEST_WAIT_MS, type TrunkLimits } from "./trunk-limits.ts";

export interface LimitsUnderTest {
  /** Of two processes that share their trunks; of one and the same where there is only one. */
  processes: readonly [TrunkLimits, TrunkLimits];
  /** Moved by hand. */
  clock: Pick<Clock, "now"> & { advance(ms: number): void };
  newTrunk(limits: Pick<Trunk, "channels" | "callsPerSecond">): Promise<Trunk>;
  close(): Promise<void>;
}

/** Whoever counts what of the trunks' limits is in use. */
export function trunkLimitsContract(name: string, open: () => Promise<LimitsUnderTest>): void {
  describe(`${name}, as whoever counts for trunks`, () => {
    let under: LimitsUnderTest;
    let one: TrunkLimits;
    let other: TrunkLimits;
    beforeAll(async () => {
      under = await open();
      [one, other] = under.processes;
    });
    afterAll(() => under.close());

    const held = (taken: HeldLine | "full" | "late"): HeldLine => {
      if (typeof taken === "string") throw new Error(`nothing was had: ${taken}`);
      return taken;
    };

    it("gives no channel that is in use, and one that was given back at once", async () => {
      const trunk = await under.newTrunk({ channels: 2, callsPerSecond: null });
      const first = held(await one.take(trunk));
      await other.take(trunk);
      expect(await Promise.all([one.take(trunk), other.take(trunk)])).toEqual(["full", "full"]);
      void first.release();
      expect(await one.free([trunk])).toBe(1);
      expect(first.turnAt).toBe(under.clock.now());
      held(await one.take(trunk));
      // Once, however often it is told.
      await first.release();
      expect(await other.take(trunk)).toBe("full");
    });

    it("gives turns in their distance, whoever asks, and none that is too far", async () => {
      const trunk = await under.newTrunk({ channels: null, callsPerSecond: 3 });
      const takeSome = async (count: number) => {
        const asked = Array.from({ length: count }, (_, at) => (at % 2 ? one : other).take(trunk));
        const turns = (await Promise.all(asked)).map((taken) => held(taken).turnAt - under.clock.now());
        return turns.sort((first, second) => first - second);
      };
      const turns = await takeSome(10);
      for (const [at, turn] of turns.entries()) expect(turn).toBeCloseTo((at * 1_000) / 3, 1);
      under.clock.advance(60_000);
      const most = 1 + (LONGEST_WAIT_MS * 3) / 1_000;
      expect((await takeSome(most - 1))[0]).toBe(0);
      const last = await Promise.all([one.take(trunk), other.take(trunk), one.take(trunk)]);
      // The one at the very end is a matter of rounding.
      expect(last.filter((taken) => taken === "late").length).toBeGreaterThanOrEqual(2);
    });

    it("takes no turn where no channel is free, and no channel where no turn is", async () => {
      const narrow = await under.newTrunk({ channels: 1, callsPerSecond: 1 });
      const first = held(await one.take(narrow));
      expect(await other.take(narrow)).toBe("full");
      await first.release();
      expect(held(await other.take(narrow)).turnAt).toBe(under.clock.now() + 1_000);

      const slow = await under.newTrunk({ channels: 50, callsPerSecond: 1 });
      const inTime = 1 + LONGEST_WAIT_MS / 1_000;
      for (let taken = 0; taken < inTime; taken++) held(await one.take(slow));
      expect(await other.take(slow)).toBe("late");
      expect(await other.free([slow])).toBe(50 - inTime);
    });

    it("counts calls that came in, also above the limit", async () => {
      const trunk = await under.newTrunk({ channels: 2, callsPerSecond: null });
      const calls = [await one.occupy(trunk), await other.occupy(trunk), await one.occupy(trunk)];
      expect(await one.free([trunk])).toBe(0);
      await calls[0]!.release();
      expect(await other.take(trunk)).toBe("full");
      await calls[1]!.release();
      held(await other.take(trunk));
    });

    it("counts for each trunk by itself", async () => {
      const small = await under.newTrunk({ channels: 1, callsPerSecond: null });
      const large = await under.newTrunk({ channels: 10, callsPerSecond: null });
      const line = held(await one.take(small));
      expect(await other.free([small, large])).toBe(10);
      expect(await other.free([large])).toBe(10);
      await line.release();
      expect(await other.free([small, large])).toBe(11);
    });

    it("never gives more than there are, and in the end has all of them", async () => {
      const rounds = fc.array(fc.record({ asks: fc.nat(6), ends: fc.nat(6) }), {
        minLength: 1,
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 6 }), rounds, async (channels, steps) => {
          const trunk = await under.newTrunk({ channels, callsPerSecond: null });
          const live: HeldLine[] = [];
          for (const { asks, ends } of steps) {
            const before = live.length;
            const leaving = live.splice(0, ends);
            const asked = Array.from({ length: asks }, (_, at) => (at % 2 ? one : other).take(trunk));
            // Some asked before those have left, some after it.
            const [taken] = await Promise.all([Promise.all(asked), ...leaving.map((line) => line.release())]);
            for (const line of taken) if (typeof line !== "string") live.push(line);
            expect(live.length).toBeLessThanOrEqual(channels);
            expect(live.length).toBeGreaterThanOrEqual(
              Math.min(channels - before, asks) + before - leaving.length,
            );
            expect(await one.free([trunk])).toBe(channels - live.length);
          }
          await Promise.all(live.map((line) => line.release()));
          expect(await other.free([trunk])).toBe(channels);
        }),
        { numRuns: 10 },
      );
    });
  });
}

import fc from "fast-check";
import { expect, it } from "vitest";
import { virtualClock } from "./virtual-clock.ts";

it("runs what is due in order, whatever the order it was told in", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.nat(50), cancelled: fc.boolean() })),
      fc.nat(60),
      (entries, until) => {
        const clock = virtualClock(0);
        const ran: [number, number][] = [];
        entries.forEach(({ at, cancelled }, index) => {
          const cancel = clock.schedule(at, () => {
            expect(clock.now()).toBe(at);
            ran.push([at, index]);
          });
          if (cancelled) cancel();
        });
        clock.moveTo(until);
        const kept = entries.flatMap(({ at, cancelled }, index) => (cancelled ? [] : [[at, index] as const]));
        expect(ran).toEqual(kept.filter(([at]) => at <= until).sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        expect(clock.next()).toBe(
          kept.reduce<number | null>(
            (least, [at]) => (at <= until ? least : Math.min(at, least ?? at)),
            null,
          ),
        );
        expect(clock.now()).toBe(until);
      },
    ),
  );
});

it("runs what something due schedules for the same while", () => {
  const clock = virtualClock(0);
  const ran: number[] = [];
  clock.schedule(5, () => clock.schedule(1, () => ran.push(clock.now())));
  clock.moveTo(5);
  expect(ran).toEqual([5]);
  expect(() => clock.moveTo(4)).toThrow("backwards");
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Abandonment, abandonedShare, linesAtRisk, MOST_ABANDONED } from "./abandonment.ts";
import { adaptDialLevel, seatsAhead } from "./adapt-dial-level.ts";
import { linesToDial, type PacingState } from "./lines-to-dial.ts";
import { safeLines } from "./safe-lines.ts";
import { type StartBucket, takeStarts } from "./take-starts.ts";

const ROOMY = { organization: 1e6, channels: Number.POSITIVE_INFINITY, starts: 1e6, holds: 1e6 };
const state = (over: Partial<PacingState> = {}): PacingState => ({
  mode: "predictive",
  concurrency: 20,
  linesPerSeat: 1.5,
  pace: { level: 1.5, ahead: 0 },
  lines: { pending: 0, talking: 0, others: 0 },
  abandonment: { answered: 0, abandoned: 0 },
  room: ROOMY,
  ...over,
});

const few = fc.nat({ max: 60 });
const abandonments = fc
  .record({ answered: fc.nat({ max: 5_000 }), part: fc.double({ min: 0, max: 0.1, noNaN: true }) })
  .map(({ answered, part }) => ({ answered, abandoned: Math.floor(answered * part) }));
const rooms = fc.record({
  organization: fc.integer({ min: -5, max: 80 }),
  channels: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), few),
  starts: few,
  holds: few,
});
const states = fc.record({
  mode: fc.constantFrom("ai" as const, "power" as const, "predictive" as const),
  concurrency: fc.integer({ min: 1, max: 60 }),
  linesPerSeat: fc.double({ min: 1, max: 5, noNaN: true }),
  pace: fc.record({
    level: fc.double({ min: 1, max: 10, noNaN: true }),
    ahead: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  lines: fc.record({ pending: few, talking: few, others: few }),
  abandonment: abandonments,
  room: rooms,
});

describe("linesToDial", () => {
  it("is a whole number within every bound, whatever the state", () => {
    fc.assert(
      fc.property(states, (of) => {
        const lines = linesToDial(of);
        expect(Number.isInteger(lines)).toBe(true);
        expect(lines).toBeGreaterThanOrEqual(0);
        for (const bound of Object.values(of.room)) expect(lines).toBeLessThanOrEqual(Math.max(0, bound));
      }),
    );
  });

  it("never dials more than it can talk to in the mode ai", () => {
    fc.assert(
      fc.property(states, (of) => {
        const { pending, talking, others } = of.lines;
        const lines = linesToDial({ ...of, mode: "ai", room: ROOMY });
        expect(lines).toBe(Math.max(0, of.concurrency - pending - talking - others));
      }),
    );
  });

  it("dials its lines for each free seat in the mode power, those pending among them", () => {
    const power = { mode: "power" as const, linesPerSeat: 1.15 };
    expect(linesToDial(state(power))).toBe(23);
    expect(linesToDial(state({ ...power, lines: { pending: 5, talking: 10, others: 7 } }))).toBe(6);
    expect(linesToDial(state({ ...power, lines: { pending: 0, talking: 20, others: 0 } }))).toBe(0);
    expect(linesToDial(state({ ...power, lines: { pending: 30, talking: 0, others: 0 } }))).toBe(0);
  });

  it("can't come to more than 3 % abandoned in the mode predictive, should every line be answered", () => {
    let risked = 0;
    fc.assert(
      fc.property(states, (of) => {
        const lines = linesToDial({ ...of, mode: "predictive", room: ROOMY });
        if (lines === 0) return;
        const pending = of.lines.pending + lines;
        const free = Math.max(0, of.concurrency - of.lines.talking);
        const lost = Math.max(0, pending - free);
        if (lost > 0) risked++;
        const answered = of.abandonment.answered + pending;
        if (lost > 0) {
          const share = (of.abandonment.abandoned + lost) / answered;
          expect(share).toBeLessThanOrEqual(MOST_ABANDONED + 1e-9);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(risked).toBeGreaterThan(100);
  });

  it("dials a line for each free seat, and none ahead, at the gate of 2 % and while few answers were counted", () => {
    const pace = { level: 4, ahead: 0.2 };
    const lines = { pending: 3, talking: 12, others: 0 };
    for (const abandonment of [
      { answered: 1_000, abandoned: 20 },
      { answered: 0, abandoned: 0 },
      { answered: 20, abandoned: 0 },
    ]) {
      expect(linesToDial(state({ pace, lines, abandonment }))).toBe(5);
    }
    expect(
      linesToDial(state({ pace, lines, abandonment: { answered: 1_000, abandoned: 10 } })),
    ).toBeGreaterThan(10);
  });
});

describe("safeLines", () => {
  /** Sums the chances one by one, in the plainest way. */
  const lostShare = (lines: number, seats: number, answers: number) => {
    const chances = [1];
    for (let line = 0; line < lines; line++) {
      for (let count = line + 1; count >= 0; count--) {
        chances[count] = (chances[count] ?? 0) * (1 - answers) + (chances[count - 1] ?? 0) * answers;
      }
    }
    const lost = chances.reduce((sum, chance, count) => sum + Math.max(0, count - seats) * chance, 0);
    return lost / (lines * answers);
  };

  it("is the most lines whose expected loss is within the risk", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 40, noNaN: true }),
        fc.double({ min: 1.05, max: 8, noNaN: true }),
        fc.double({ min: 0.005, max: 0.1, noNaN: true }),
        (seats, level, risk) => {
          const lines = safeLines(seats, level, risk);
          expect(lines).toBeGreaterThanOrEqual(Math.floor(seats));
          if (lines > Math.floor(seats))
            expect(lostShare(lines, seats, 1 / level)).toBeLessThanOrEqual(risk + 1e-6);
          expect(lostShare(lines + 1, seats, 1 / level)).toBeGreaterThan(risk - 1e-6);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("grows with the seats, the lines per answer and the risk, and stays finite for thousands of seats", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 60, noNaN: true }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        fc.double({ min: 0.001, max: 0.05, noNaN: true }),
        (seats, level, risk) => {
          const lines = safeLines(seats, level, risk);
          expect(safeLines(seats + 1, level, risk)).toBeGreaterThanOrEqual(lines);
          expect(safeLines(seats, level + 0.5, risk)).toBeGreaterThanOrEqual(lines);
          expect(safeLines(seats, level, risk + 0.01)).toBeGreaterThanOrEqual(lines);
        },
      ),
    );
    expect(safeLines(5_000, 4, 0.02)).toBeGreaterThan(19_000);
    expect(safeLines(5_000, 4, 0.02)).toBeLessThan(21_000);
    expect([safeLines(0, 4, 0.02), safeLines(7, 1, 0.02), safeLines(7.9, 1, 0.02)]).toEqual([0, 7, 7]);
  });
});

describe("adaptDialLevel", () => {
  it("is at least 1, rises by small steps, and is 1 at the gate", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc
          .nat({ max: 2_000 })
          .chain((dialed) => fc.record({ dialed: fc.constant(dialed), people: fc.nat({ max: dialed }) })),
        abandonments,
        (level, recent, abandonment) => {
          const adapted = adaptDialLevel({ level, recent, abandonment });
          expect(adapted).toBeGreaterThanOrEqual(1);
          expect(adapted).toBeLessThanOrEqual(Math.max(1, level) * 1.1 + 1e-9);
          if (abandonedShare(abandonment) >= 0.02) expect(adapted).toBe(1);
        },
      ),
    );
  });

  /** Where the level comes to rest. */
  const settle = (recent: { dialed: number; people: number }, abandonment: Abandonment) => {
    let level = 1;
    for (let round = 0; round < 60; round++) level = adaptDialLevel({ level, recent, abandonment });
    return level;
  };
  const share = (abandoned: number, answered = 100_000) => ({ answered, abandoned });

  it("comes to the lines that bring one person: more of them the further the abandoned share is from its gate", () => {
    const quarter = { dialed: 100_000, people: 25_000 };
    const levels = [0, 500, 1_000, 1_500, 1_900].map((abandoned) => settle(quarter, share(abandoned)));
    expect(levels).toEqual([...levels].sort((a, b) => b - a));
    expect(levels[0]).toBeGreaterThan(11);
    expect(levels[4]).toBeGreaterThan(4);
    expect(levels[4]).toBeLessThan(4.2);
  });

  it("is the lower, the fewer lines and the fewer answers were seen", () => {
    const rows = [100_000, 2_000, 200, 20].map((dialed) =>
      settle({ dialed, people: dialed / 4 }, share(1_500)),
    );
    expect(rows).toEqual([...rows].sort((a, b) => b - a));
    const few = [100_000, 2_000, 200, 67].map((answered) =>
      settle({ dialed: 100_000, people: 25_000 }, share(answered * 0.015, answered)),
    );
    expect(few).toEqual([...few].sort((a, b) => b - a));
    expect(few[3]).toBeLessThan(2.5);
    expect(settle({ dialed: 0, people: 0 }, share(0))).toBeLessThan(3.1);
    expect(settle({ dialed: 0, people: 0 }, share(0, 0))).toBe(1);
  });

  it("comes down at once: an hour in which people are at home has begun", () => {
    const recent = { dialed: 1_000, people: 500 };
    expect(adaptDialLevel({ level: 8, recent, abandonment: share(1_500) })).toBeLessThan(3);
  });
});

describe("seatsAhead", () => {
  it("is the share of talks that end while a line rings, and 0 while that isn't known", () => {
    expect(seatsAhead({ answerMs: 12_000, talkMs: 120_000 })).toBeCloseTo(0.0676, 3);
    expect(seatsAhead({ answerMs: null, talkMs: 120_000 })).toBe(0);
    expect(seatsAhead({ answerMs: 12_000, talkMs: null })).toBe(0);
    expect(seatsAhead({ answerMs: 12_000, talkMs: 0 })).toBeLessThanOrEqual(1);
  });
});

describe("linesAtRisk", () => {
  it("is none among the first 33 answers, and none once 3 % are used up", () => {
    expect(linesAtRisk({ answered: 0, abandoned: 0 }, 33)).toBe(0);
    expect(linesAtRisk({ answered: 0, abandoned: 0 }, 34)).toBe(1);
    expect(linesAtRisk({ answered: 1_000, abandoned: 30 }, 0)).toBe(0);
    expect(linesAtRisk({ answered: 1_000, abandoned: 40 }, 10)).toBe(0);
  });
});

describe("takeStarts", () => {
  it("lets through no more than the rate and a tenth of a second's burst, in any stretch, and wastes nothing", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.2, max: 50, noNaN: true }),
        fc.array(fc.record({ wait: fc.nat({ max: 3_000 }), wanted: fc.nat({ max: 100 }) }), {
          maxLength: 60,
        }),
        (perSecond, looks) => {
          let now = 1_000_000;
          let bucket: StartBucket = { tokens: 1e9, at: 0 };
          const taken: { at: number; starts: number }[] = [];
          for (const { wait, wanted } of looks) {
            now += wait;
            const before = bucket;
            const result = takeStarts(bucket, perSecond, wanted, now);
            bucket = result.bucket;
            taken.push({ at: now, starts: result.starts });
            expect(result.starts).toBeLessThanOrEqual(wanted);
            expect(bucket.tokens).toBeGreaterThanOrEqual(0);
            // Who wants more than there is gets all that there is.
            if (result.starts < wanted) expect(bucket.tokens).toBeLessThan(1);
            expect(before.at).toBeLessThanOrEqual(bucket.at);
          }
          for (const [first, { at: from }] of taken.entries()) {
            let sum = 0;
            for (const { at, starts } of taken.slice(first)) {
              sum += starts;
              const most = (perSecond * (at - from)) / 1_000 + Math.max(1, perSecond / 10);
              expect(sum).toBeLessThanOrEqual(most + 1e-6);
            }
          }
        },
      ),
    );
  });

  it("makes one start a second of thirds, and none of a clock that was set back", () => {
    let bucket: StartBucket = { tokens: 0, at: 0 };
    const starts: number[] = [];
    for (const now of [333, 667, 1_000, 1_300, 2_000]) {
      const result = takeStarts(bucket, 1, 5, now);
      bucket = result.bucket;
      starts.push(result.starts);
    }
    expect(starts).toEqual([0, 0, 1, 0, 1]);
    expect(takeStarts({ tokens: 0, at: 10_000 }, 1, 5, 4_000)).toEqual({
      starts: 0,
      bucket: { tokens: 0, at: 4_000 },
    });
    expect(takeStarts({ tokens: 0, at: 0 }, null, 5, 4_000).starts).toBe(5);
  });
});

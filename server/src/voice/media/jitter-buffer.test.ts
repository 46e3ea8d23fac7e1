import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJitterBuffer } from "./jitter-buffer.ts";

const SSRC = 77;

interface Arrival {
  index: number;
  atMs: number;
}

/** A frame whose every sample tells its number. */
function numbered(index: number, length = 160): Int16Array {
  return new Int16Array(length).fill(1_000 + index);
}

function packet(index: number, { ssrc = SSRC, from = { sequence: 65_500, time: 0xffff_f000 } } = {}) {
  return {
    ssrc,
    sequenceNumber: (from.sequence + index) & 0xffff,
    timestamp: (from.time + index * 160) >>> 0,
  };
}

/** Runs `frames` pulls, 20 ms apart from `startMs` on, with packets pushed when they arrive. */
function play(arrivals: readonly Arrival[], frames: number, { startMs = 7, maxDelayMs = 120 } = {}) {
  const buffer = createJitterBuffer({ maxDelayMs });
  const queue = [...arrivals].sort((a, b) => a.atMs - b.atMs);
  const played: { atMs: number; index: number | null; concealed: boolean; waitingMs: number }[] = [];
  for (let pull = 0; pull < frames; pull++) {
    const atMs = startMs + pull * 20;
    for (let next = queue[0]; next && next.atMs <= atMs; next = queue[0]) {
      buffer.push(packet(next.index), numbered(next.index), next.atMs);
      queue.shift();
    }
    const frame = buffer.pull(atMs);
    // The middle: the first 4 ms may be blended with what was made up before.
    const index = frame && !frame.concealed ? frame.samples[100]! - 1_000 : null;
    if (frame) expect(frame.samples).toHaveLength(160);
    played.push({ atMs, index, concealed: frame?.concealed ?? false, waitingMs: buffer.stats().waitingMs });
  }
  return { buffer, played, heard: played.filter(({ index }) => index !== null) };
}

function steady(count: number): Arrival[] {
  return Array.from({ length: count }, (_, index) => ({ index, atMs: index * 20 }));
}

describe("jitter buffer", () => {
  it("plays a steady stream whole, across the wraps of its counters, with little delay", () => {
    const { heard, buffer } = play(steady(200), 200);
    const numbers = heard.map(({ index }) => index!);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    // It begins with a guess, and gives up one frame of it.
    expect(heard.at(-1)!.index! + 1 - heard.length).toBeLessThanOrEqual(1);
    expect(heard.length).toBeGreaterThan(195);
    expect(buffer.stats().framesConcealed).toBe(0);
    expect(buffer.stats().delayMs).toBeLessThanOrEqual(60);
  });

  it("is null before the first packet, and again when nothing comes any more", () => {
    const { played } = play(steady(10), 60);
    expect(createJitterBuffer().pull(0)).toBeNull();
    expect(played.slice(-20).every(({ index, concealed }) => index === null && !concealed)).toBe(true);
  });

  it("conceals what is lost, and fades", () => {
    const lost = new Set([50, 80, 81, 82, 83, 84]);
    const buffer = createJitterBuffer();
    const levels: number[] = [];
    for (let index = 0; index < 120; index++) {
      const samples = Int16Array.from(
        { length: 160 },
        (_, at) => 8_000 * Math.sin((2 * Math.PI * 200 * (index * 160 + at)) / 8_000),
      );
      if (!lost.has(index)) buffer.push(packet(index), samples, index * 20);
      const frame = buffer.pull(index * 20 + 5);
      if (frame)
        levels.push(frame.samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0));
      // A made-up sine goes on without a jump.
      if (frame)
        for (let at = 1; at < 160; at++)
          expect(Math.abs(frame.samples[at]! - frame.samples[at - 1]!)).toBeLessThan(2_600);
    }
    expect(buffer.stats().framesConcealed).toBe(6);
    expect(Math.min(...levels)).toBe(0);
    expect(levels.filter((level) => level > 7_500).length).toBeGreaterThan(110);
  });

  it("keeps the order and the pace whatever arrives when, and doesn't wait longer than it may", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            lost: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
            jitterMs: fc.integer({ min: 0, max: 150 }),
            copies: fc.integer({ min: 1, max: 2 }),
          }),
          { minLength: 40, maxLength: 150 },
        ),
        (fates) => {
          const arrivals = fates.flatMap(({ lost, jitterMs, copies }, index) =>
            lost
              ? []
              : Array.from({ length: copies }, (_, copy) => ({
                  index,
                  atMs: index * 20 + jitterMs + copy * 7,
                })),
          );
          const { played, heard, buffer } = play(arrivals, fates.length + 20);
          // Order: never backwards, nothing twice.
          heard.slice(1).forEach(({ index }, at) => {
            expect(index).toBeGreaterThan(heard[at]!.index!);
          });
          // Pace: once it plays there is a frame at each turn, until the stream has ended.
          const first = played.findIndex(({ index }) => index !== null);
          const lastHeard = played.findLastIndex(({ index }) => index !== null);
          for (const { index, concealed } of played.slice(Math.max(0, first), lastHeard))
            expect(index !== null || concealed).toBe(true);
          for (const { atMs, index } of heard) expect(atMs - index! * 20).toBeLessThanOrEqual(150 + 120 + 20);
          expect(buffer.stats().waitingMs).toBeLessThanOrEqual(400);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([2, 5])("conceals every gap of %i percent loss and 60 ms jitter, within 120 ms", (percent) => {
    let state = 5;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state / 0x80000000;
    };
    const arrivals = steady(3_000)
      .filter(() => random() >= percent / 100)
      .map(({ index, atMs }) => ({ index, atMs: atMs + random() * 60 }));
    const { played, heard } = play(arrivals, 2_900);
    const settled = played.slice(50);
    expect(settled.every(({ index, concealed }) => index !== null || concealed)).toBe(true);
    for (const { atMs, index } of heard) expect(atMs - index! * 20).toBeLessThanOrEqual(120);
    const concealed = settled.filter((frame) => frame.concealed).length;
    expect(concealed / settled.length).toBeLessThan((percent + 2) / 100);
  });

  it("shortens its delay again when the network is calm", () => {
    let state = 9;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state / 0x80000000;
    };
    const arrivals = steady(2_000).map(({ index, atMs }) => ({
      index,
      atMs: atMs + (index < 500 ? random() * 90 : 0),
    }));
    const { buffer, heard } = play(arrivals, 2_000);
    expect(buffer.stats().delayMs).toBeLessThanOrEqual(45);
    expect(heard.at(-1)!.index).toBeGreaterThan(1_990);
  });

  it("survives a stall of its owner: several pulls at once", () => {
    const buffer = createJitterBuffer();
    let index = 0;
    for (let turn = 0; turn < 100; turn++) {
      const stalled = turn === 60 || turn === 80;
      const nowMs = turn * 20 + 5;
      if (turn > 56 && turn < 60) continue;
      for (; index * 20 <= nowMs; index++) buffer.push(packet(index), numbered(index), nowMs);
      for (let pull = 0; pull < (stalled ? 4 : 1); pull++) buffer.pull(nowMs);
    }
    expect(buffer.stats().delayMs).toBeLessThanOrEqual(120);
  });

  it("gives up at once what waits far too long, when pulls were left out", () => {
    const buffer = createJitterBuffer();
    for (let index = 0; index < 100; index++) {
      buffer.push(packet(index), numbered(index), index * 20);
      if (index < 40 || index >= 60) buffer.pull(index * 20 + 5);
      if (index === 61) expect(buffer.stats().delayMs).toBeGreaterThan(400);
      if (index > 70) expect(buffer.stats().delayMs).toBeLessThanOrEqual(120);
    }
  });

  it("isn't filled by copies", () => {
    const buffer = createJitterBuffer();
    const heard: number[] = [];
    for (let index = 0; index < 30; index++) {
      for (let copy = 0; copy < 200; copy++) buffer.push(packet(index), numbered(index), index * 20);
      const frame = buffer.pull(index * 20 + 5);
      if (frame && !frame.concealed) heard.push(frame.samples[100]! - 1_000);
    }
    expect(heard.length).toBeGreaterThan(25);
    expect(buffer.stats().framesConcealed).toBe(0);
  });

  it("isn't disturbed by single packets of others", () => {
    const buffer = createJitterBuffer();
    for (let index = 0; index < 200; index++) {
      buffer.push(packet(index), numbered(index), index * 20);
      if (index % 5 === 0) buffer.push(packet(index, { ssrc: 10_000 + index }), numbered(index), index * 20);
      if (index % 7 === 0) buffer.push(packet(index * 1_000), numbered(index), index * 20);
      buffer.pull(index * 20 + 5);
    }
    expect(buffer.stats().framesConcealed).toBe(0);
  });

  it("follows a far side that begins anew: another source, another time", () => {
    const buffer = createJitterBuffer();
    const heard: number[] = [];
    for (let index = 0; index < 300; index++) {
      const stream =
        index < 100
          ? packet(index)
          : index < 200
            ? packet(index, { ssrc: 5, from: { sequence: 9, time: 4_000_000_000 } })
            : packet(index, { ssrc: 5, from: { sequence: 9, time: 1_234 } });
      buffer.push(stream, numbered(index), index * 20);
      // One packet of somebody else doesn't turn it round.
      if (index === 50) buffer.push(packet(3, { ssrc: 666 }), numbered(29_000), index * 20);
      const frame = buffer.pull(index * 20 + 3);
      if (frame && !frame.concealed) heard.push(frame.samples[100]! - 1_000);
    }
    expect(heard).not.toContain(28_000);
    expect(heard.length).toBeGreaterThan(280);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(heard.at(-1)).toBeGreaterThan(295);
  });

  it("takes packets of other lengths", () => {
    const buffer = createJitterBuffer();
    const heard: number[] = [];
    for (let index = 0; index < 100; index++) {
      const samples = Int16Array.from({ length: 240 }, (_, at) => (index * 240 + at) / 4);
      buffer.push({ ssrc: 1, sequenceNumber: index, timestamp: index * 240 }, samples, index * 30);
      for (let at = 0; at < 2; at++) {
        if (index % 2 && at) continue;
        const frame = buffer.pull(index * 30 + at * 20 + (index % 2) * 10);
        if (frame) heard.push(...frame.samples);
      }
    }
    expect(buffer.stats().framesConcealed).toBe(0);
    expect(heard.every((sample, at) => at === 0 || sample - heard[at - 1]! <= 2)).toBe(true);
  });

  it("is silent where the far side said nothing", () => {
    const buffer = createJitterBuffer();
    const frames: (boolean | null)[] = [];
    for (let index = 0; index < 200; index++) {
      // Times go on while nothing is sent; sequence numbers don't.
      const pause = index >= 50 && index < 53;
      const sequence = index < 50 ? index : index - 3;
      if (!pause)
        buffer.push(
          { ssrc: 1, sequenceNumber: sequence, timestamp: index * 160 },
          numbered(index),
          index * 20,
        );
      if (index === 100) buffer.silent();
      if (index > 100) continue;
      frames.push(buffer.pull(index * 20 + 2)?.concealed ?? null);
    }
    // That nothing is missing is known when the next packet comes: what is due before is made up.
    expect(frames.slice(5).filter((concealed) => concealed === null)).toEqual([]);
    expect(frames.slice(5).filter(Boolean).length).toBeLessThanOrEqual(2);
  });

  it("hears announced silence for thirty seconds", () => {
    const buffer = createJitterBuffer();
    for (let index = 0; index < 20; index++) {
      buffer.push(packet(index), numbered(index), index * 20);
      buffer.pull(index * 20);
    }
    buffer.silent();
    const after = Array.from({ length: 1_600 }, (_, at) => buffer.pull((20 + at) * 20)?.concealed ?? null);
    expect(after.slice(5, 1_490).every((concealed) => concealed === false)).toBe(true);
    expect(after.at(-1)).toBeNull();
  });

  it("takes any packets without throwing, and keeps no more than it needs", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            ssrc: fc.integer({ min: 0, max: 2 }),
            sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
            timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
            length: fc.integer({ min: 0, max: 960 }),
            pulls: fc.nat(3),
          }),
          { maxLength: 200 },
        ),
        (packets) => {
          const buffer = createJitterBuffer();
          let nowMs = 0;
          for (const { length, pulls, ...times } of packets) {
            buffer.push(times, new Int16Array(length), nowMs);
            for (let pull = 0; pull < pulls; pull++, nowMs += 20) buffer.pull(nowMs);
            expect(buffer.stats().waitingMs).toBeLessThan(2_500);
          }
        },
      ),
    );
  });
});

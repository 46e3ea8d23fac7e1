import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "./media-leg.ts";

/** A leg and what its far side must be able to do, so that the suite can look at both ends. */
export interface LegUnderTest {
  leg: MediaLeg;
  far: {
    /** Speaks for so long, of this loudness; queued behind what is being said. Otherwise it is silent. */
    speak(milliseconds: number, amplitude: number): void;
    /** Keys a digit beside the audio, where the leg has such a way. */
    key?(digit: string): void;
    /** Every frame that reached it, oldest first: its loudest sample. */
    readonly heard: readonly number[];
  };
  /** Lets 20 ms pass on the far side and in between. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

const TICKS = 50;
const tone = (amplitude: number) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 ? amplitude : -amplitude));
const loudest = (samples: Int16Array) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

/** Every leg passes it: RTP, browsers, vendors' media sockets, and the tests' lines in memory. */
export function mediaLegContract(name: string, open: () => Promise<LegUnderTest>): void {
  describe(`${name} as a media leg`, () => {
    let subject: LegUnderTest;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    it("hears 20 ms at a time, as loud as they were said", async () => {
      const { leg, far } = subject;
      far.speak(TICKS * FRAME_MS, 8_000);
      const levels: number[] = [];
      for (let tick = 0; tick < TICKS; tick++) {
        await subject.tick();
        const frame = leg.receive();
        if (!frame) continue;
        expect(frame.samples).toHaveLength(FRAME_SAMPLES);
        levels.push(loudest(frame.samples));
      }
      const loud = levels.filter((level) => level > 7_000 && level < 9_000);
      expect(loud.length).toBeGreaterThan(TICKS - 10);
      expect(leg.stats().packetsReceived).toBeGreaterThanOrEqual(loud.length);
    });

    it("sends 20 ms at a time, and keeps nothing of the array it was given", async () => {
      const { leg, far } = subject;
      const samples = new Int16Array(FRAME_SAMPLES);
      for (let tick = 0; tick < TICKS; tick++) {
        samples.set(tone(tick < TICKS / 2 ? 8_000 : 2_000));
        leg.send(samples);
        samples.fill(0);
        await subject.tick();
      }
      expect(far.heard.filter((level) => level > 7_000).length).toBeGreaterThan(TICKS / 2 - 8);
      expect(far.heard.filter((level) => level > 1_500 && level < 2_500).length).toBeGreaterThan(
        TICKS / 2 - 8,
      );
      expect(leg.stats().framesSent).toBe(TICKS);
    });

    it("says once that the first audio came, and at once to who asks later", async () => {
      const { leg, far } = subject;
      let told = 0;
      leg.onFirstAudio(() => told++);
      far.speak(100, 8_000);
      for (let tick = 0; tick < 10; tick++) {
        await subject.tick();
        leg.receive();
      }
      expect(told).toBe(1);
      let late = 0;
      leg.onFirstAudio(() => late++);
      await Promise.resolve();
      expect([told, late]).toEqual([1, 1]);
    });

    it("tells of each digit that is keyed beside the audio once", async () => {
      const { leg, far } = subject;
      if (!far.key) return;
      expect(leg.digitsOutOfBand()).toBe(true);
      const digits: string[] = [];
      leg.onDigit((digit) => digits.push(digit));
      for (const digit of "19*#0") far.key(digit);
      for (let tick = 0; tick < 5 * 15; tick++) {
        await subject.tick();
        leg.receive();
      }
      expect(digits.join("")).toBe("19*#0");
    });

    it("does nothing after it was closed", async () => {
      const { leg, far } = subject;
      far.speak(1_000, 8_000);
      await subject.tick();
      leg.close();
      leg.close();
      const heardBefore = far.heard.length;
      const sentBefore = leg.stats().framesSent;
      for (let tick = 0; tick < 5; tick++) {
        leg.send(tone(8_000));
        await subject.tick();
        expect(leg.receive()).toBeNull();
      }
      expect(far.heard.slice(heardBefore).every((level) => level < 7_000)).toBe(true);
      expect(leg.stats().framesSent).toBe(sentBefore);
    });
  });
}

import { beforeAll, describe, expect, it } from "vitest";
import { spoken } from "../../testing/spoken.ts";
import { decodeG711, encodeG711 } from "./g711.ts";
import { loadVoiceActivity, type SpeechDetectorOptions, type VoiceActivity } from "./voice-activity.ts";

const SECOND = 8_000;

/** Always the same noise. */
function random(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x3fffffff - 1;
  };
}

function noise(count: number, amplitude: number): Int16Array {
  const next = random();
  return Int16Array.from({ length: count }, () => next() * amplitude);
}

function tones(count: number, ...frequencies: number[]): Int16Array {
  return Int16Array.from({ length: count }, (_, at) =>
    frequencies.reduce(
      (sum, frequency) => sum + 6_000 * Math.sin((2 * Math.PI * frequency * at) / SECOND),
      0,
    ),
  );
}

function join(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

let activity: VoiceActivity;
beforeAll(async () => {
  activity = await loadVoiceActivity();
});

/** What is told of audio that came through G.711, with the times at which it was told. */
function events(samples: Int16Array, options?: SpeechDetectorOptions) {
  const detector = activity.createSpeechDetector(options);
  const heard = decodeG711("pcmu", encodeG711("pcmu", samples));
  const told: { type: string; atMs: number; durationMs?: number }[] = [];
  for (let at = 0; at + 160 <= heard.length; at += 160) {
    const event = detector.push(heard.subarray(at, at + 160));
    if (event) told.push({ ...event, atMs: (at + 160) / 8 });
  }
  detector.close();
  return told;
}

describe("speech detection", () => {
  it.each(["clara", "marcus", "angus", "otto"] as const)("hears %s begin and end", (voice) => {
    const speech = spoken("No, I have no time at all for that today.", voice);
    const told = events(join(new Int16Array(SECOND), speech, new Int16Array(2 * SECOND)));
    expect(told.map(({ type }) => type)).toEqual(["started", "ended"]);
    const [started, ended] = told as [(typeof told)[0], (typeof told)[0]];
    // 20 ms of silence stand before what was spoken, and its first sound is a faint n.
    expect(started.atMs - 1_000).toBeLessThanOrEqual(20 + 60 + 40);
    expect(ended.durationMs).toBeGreaterThan(speech.length / 8 - 400);
    expect(ended.durationMs).toBeLessThan(speech.length / 8);
    expect(ended.atMs).toBeLessThanOrEqual(1_000 + speech.length / 8 + 640);
  });

  it("hears a vowel within 60 ms", () => {
    // A pulse train of 120 Hz through two resonances: a vowel that begins at once.
    let [a, b, c, d] = [0, 0, 0, 0];
    const vowel = Int16Array.from({ length: SECOND }, (_, at) => {
      const pulse = at % 67 === 0 ? 9_000 : 0;
      [a, b] = [pulse + 1.75 * a - 0.9 * b, a];
      [c, d] = [a * 0.2 + 0.9 * c - 0.85 * d, c];
      return c;
    });
    for (const offset of [0, 37, 80, 159]) {
      const [started] = events(join(new Int16Array(SECOND + offset), vowel));
      expect(started!.atMs - 1_000 - offset / 8).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    ["loud white noise", noise(5 * SECOND, 16_000)],
    ["louder white noise", noise(5 * SECOND, 32_000)],
    [
      "bursts of white noise",
      join(...Array.from({ length: 8 }, () => join(noise(3_000, 20_000), new Int16Array(3_000)))),
    ],
    ["a beep", join(new Int16Array(4_000), tones(4_000, 1_000), new Int16Array(4_000))],
    ["ringing", join(tones(2 * SECOND, 440, 480), new Int16Array(2 * SECOND), tones(2 * SECOND, 440, 480))],
    [
      "keys",
      join(
        ...[697, 770, 852, 941].flatMap((row) =>
          [1_209, 1_336, 1_477].map((column) => join(tones(800, row, column), new Int16Array(800))),
        ),
      ),
    ],
    ["hum", tones(3 * SECOND, 50)],
    ["silence", new Int16Array(2 * SECOND)],
  ])("doesn't take %s for speech", (_, samples) => {
    expect(events(samples)).toEqual([]);
  });

  it("hears speech in noise, and its end too", () => {
    const speech = spoken("Yes, tomorrow at ten would be fine.", "marcus");
    const whole = join(new Int16Array(2 * SECOND), speech, new Int16Array(3 * SECOND));
    const hiss = noise(whole.length, 1_400);
    const told = events(whole.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + hiss[at]!))));
    expect(told.map(({ type }) => type)).toEqual(["started", "ended"]);
    expect(told[0]!.atMs).toBeLessThan(2_200);
    expect(told[1]!.atMs).toBeLessThan(2_000 + speech.length / 8 + 1_000);
  });

  it("keeps pauses for breath within what is said, and follows the hangover it is given", () => {
    const pause = new Int16Array(0.25 * SECOND);
    const samples = join(spoken("Well, yes."), pause, spoken("Of course."), new Int16Array(2 * SECOND));
    expect(events(samples).map(({ type }) => type)).toEqual(["started", "ended"]);
    expect(events(samples, { hangoverMs: 200 }).map(({ type }) => type)).toEqual([
      "started",
      "ended",
      "started",
      "ended",
    ]);
  });

  it("takes frames of the wrong size for silence, and nothing after it was closed", () => {
    const detector = activity.createSpeechDetector();
    for (const length of [0, 1, 159, 161, 10_000])
      expect(detector.push(new Int16Array(length).fill(9_000))).toBeNull();
    detector.close();
    detector.close();
    expect(detector.push(new Int16Array(160))).toBeNull();
  });

  it("keeps many detectors apart", () => {
    const speech = spoken("Hello, who is there?");
    const talking = activity.createSpeechDetector();
    const silent = Array.from({ length: 200 }, () => activity.createSpeechDetector());
    const told: string[] = [];
    for (let at = 0; at + 160 <= speech.length; at += 160) {
      const event = talking.push(speech.subarray(at, at + 160));
      if (event) told.push(event.type);
      for (const detector of silent) expect(detector.push(new Int16Array(160))).toBeNull();
    }
    expect(told).toEqual(["started"]);
    for (const detector of [talking, ...silent]) detector.close();
  });
});

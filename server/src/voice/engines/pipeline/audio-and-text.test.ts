import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wavFile } from "../../speech/wav.ts";
import { createAudioReader } from "./audio-reader.ts";
import { ModelTrouble } from "./model-request.ts";
import { createResampler } from "./resampler.ts";
import { createSentenceSplitter } from "./sentence-splitter.ts";
import { serverSentEvents } from "./server-sent-events.ts";

const tone = (hertz: number, rate: number, seconds = 0.5) =>
  Int16Array.from(
    { length: rate * seconds },
    (_, at) => 10_000 * Math.sin((2 * Math.PI * hertz * at) / rate),
  );
const level = (samples: Int16Array) => {
  const middle = samples.subarray(400, -400);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

describe("bringing audio to 8 kHz", () => {
  it.each([16_000, 22_050, 24_000, 44_100, 48_000])(
    "keeps speech and removes what would come back as a whistle, from %i Hz",
    (rate) => {
      const wanted = level(tone(1_000, 8_000));
      expect(Math.abs(level(createResampler(rate)(tone(1_000, rate))) - wanted)).toBeLessThan(0.02 * wanted);
      expect(level(createResampler(rate)(tone(5_000, rate)))).toBeLessThan(0.01 * wanted);
      expect(createResampler(rate)(tone(300, rate)).length).toBeGreaterThan(3_980);
    },
  );

  it("has no seams, however it comes in parts", () => {
    const whole = tone(440, 24_000, 0.1);
    const expected = createResampler(24_000)(whole);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 8 }), (cuts) => {
        const resample = createResampler(24_000);
        const parts: number[] = [];
        let at = 0;
        for (const cut of cuts) {
          parts.push(...resample(whole.subarray(at, at + cut)));
          at += cut;
        }
        parts.push(...resample(whole.subarray(Math.min(at, whole.length))));
        expect(parts).toEqual([...expected]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("reading audio", () => {
  const file = wavFile(tone(500, 16_000, 0.05), 16_000);
  const read = (bytes: Buffer, type = "audio/wav", size = bytes.length) => {
    const reader = createAudioReader(type);
    const parts: number[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(...reader(bytes.subarray(at, at + size)));
    return parts;
  };

  it("takes WAV files in parts of any size, and bare samples", () => {
    const whole = read(file);
    expect(whole.length).toBeGreaterThan(350);
    for (const size of [1, 7, 43, 44, 45, 333]) expect(read(file, "audio/wav", size)).toEqual(whole);
    expect(read(file.subarray(44), "audio/pcm;rate=16000", 3)).toEqual(whole);
    expect(read(Buffer.alloc(48_000), "audio/pcm").length).toBeGreaterThan(7_900);
  });

  it("refuses what can't be played, whatever it is, with nothing but its own error", () => {
    for (const bytes of [
      "ID3\u0004\u0000 an mp3 file",
      "OggS............",
      '{"error":"quota"}',
      "<html>..........",
      "RIFFxxxxWAVEdata.....",
    ])
      expect(() => read(Buffer.from(bytes, "latin1"))).toThrow(ModelTrouble);
    const stereo = Buffer.from(file);
    stereo.writeUInt16LE(7, 22);
    expect(() => read(stereo)).toThrow(ModelTrouble);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, isFile) => {
        try {
          read(Buffer.concat([Buffer.from(isFile ? "RIFF....WAVE" : ""), bytes]), "audio/pcm", 50);
        } catch (error) {
          expect(error).toBeInstanceOf(ModelTrouble);
        }
      }),
    );
  });
});

describe("cutting text into sentences", () => {
  const split = (...parts: string[]) => {
    const splitter = createSentenceSplitter();
    return [...parts.flatMap((part) => splitter.push(part)), ...splitter.flush()];
  };

  it("ends them where they end", () => {
    expect(split("Hel", "lo. How are", " you? Fi", "ne!")).toEqual(["Hello.", "How are you?", "Fine!"]);
    expect(split("I saw Dr. Smith at 10 a.m. on St. James Street. Yes.")).toEqual([
      "I saw Dr. Smith at 10 a.m. on St. James Street.",
      "Yes.",
    ]);
    expect(split('It costs 3.50 dollars. "Really?" Yes…')).toEqual([
      "It costs 3.50 dollars.",
      '"Really?"',
      "Yes…",
    ]);
    expect(split("One\nTwo\n\nThree")).toEqual(["One", "Two", "Three"]);
    expect(split("word ".repeat(200)).length).toBeGreaterThan(1);
    expect(split("  ")).toEqual([]);
  });

  it("loses nothing, however it comes in parts", () => {
    const letters = fc.string({
      unit: fc.constantFrom("a", "B", " ", ".", "?", "\n", '"', "1"),
      maxLength: 300,
    });
    fc.assert(
      fc.property(letters, fc.integer({ min: 1, max: 20 }), (text, size) => {
        const parts = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
        expect(
          split(...parts)
            .join("")
            .replace(/\s/g, ""),
        ).toBe(text.replace(/\s/g, ""));
      }),
    );
  });
});

describe("server-sent events", () => {
  const read = async (text: string, size: number) => {
    const bytes = Buffer.from(text);
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const events: string[] = [];
    for await (const data of serverSentEvents(
      (async function* () {
        yield* parts;
      })(),
    ))
      events.push(data);
    return events;
  };

  it("are read however they come in parts", async () => {
    const text = ': hello\r\ndata: {"a":"é"}\r\n\r\nevent: x\ndata:[1]\n\ndata: last';
    for (let size = 1; size <= text.length; size++)
      expect(await read(text, size)).toEqual(['{"a":"é"}', "[1]", "last"]);
  });

  it("have lines that end", async () => {
    await expect(read("x".repeat(300_000), 10_000)).rejects.toBeInstanceOf(ModelTrouble);
  });
});

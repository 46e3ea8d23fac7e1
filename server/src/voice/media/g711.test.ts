import { describe, expect, it } from "vitest";
import { decodeG711, encodeG711, type G711Law, SILENT_BYTE } from "./g711.ts";

const LAWS: readonly G711Law[] = ["pcmu", "pcma"];
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const EVERY_SAMPLE = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);

describe("G.711", () => {
  it("decodes the values of the standard's tables", () => {
    expect([
      ...decodeG711("pcmu", Uint8Array.of(0x00, 0x0f, 0x10, 0x70, 0x7f, 0x80, 0x8f, 0xf0, 0xff)),
    ]).toEqual([-32_124, -16_764, -15_996, -120, 0, 32_124, 16_764, 120, 0]);
    expect([
      ...decodeG711("pcma", Uint8Array.of(0x00, 0x2a, 0x55, 0x54, 0xd5, 0xd4, 0xaa, 0x80, 0xc5)),
    ]).toEqual([-5_504, -32_256, -8, -24, 8, 24, 32_256, 5_504, 264]);
  });

  it.each(LAWS)("gives every %s byte back that it decoded", (law) => {
    const again = encodeG711(law, decodeG711(law, EVERY_BYTE));
    const expected = [...EVERY_BYTE];
    // µ-law has two zeros; the negative one comes back as the positive.
    if (law === "pcmu") expected[0x7f] = 0xff;
    expect([...again]).toEqual(expected);
  });

  it.each(LAWS)("is off by no more than half a step of %s, at every sample", (law) => {
    const decoded = decodeG711(law, encodeG711(law, EVERY_SAMPLE));
    const [bias, smallestStep, loudest] = law === "pcmu" ? [132, 8, 32_124] : [0, 16, 32_256];
    const tooFar = EVERY_SAMPLE.filter((sample, at) => {
      const step = Math.max(smallestStep, 2 ** (Math.floor(Math.log2(Math.abs(sample) + bias)) - 4));
      return Math.abs(decoded[at]! - sample) > Math.max(step / 2, Math.abs(sample) - loudest);
    });
    expect([...tooFar]).toEqual([]);
  });

  it.each(LAWS)("never turns louder into quieter: %s", (law) => {
    const decoded = decodeG711(law, encodeG711(law, EVERY_SAMPLE));
    expect(decoded.slice(1).every((sample, at) => sample >= decoded[at]!)).toBe(true);
  });

  it("names the silent bytes", () => {
    for (const law of LAWS) expect(encodeG711(law, Int16Array.of(0))[0]).toBe(SILENT_BYTE[law]);
  });

  it("writes into the array that it is given", () => {
    const bytes = new Uint8Array(160);
    expect(encodeG711("pcmu", new Int16Array(160).fill(1_000), bytes)).toBe(bytes);
    const samples = new Int16Array(160);
    expect(decodeG711("pcmu", bytes, samples)).toBe(samples);
    expect(samples[159]).toBe(decodeG711("pcmu", encodeG711("pcmu", Int16Array.of(1_000)))[0]);
  });
});

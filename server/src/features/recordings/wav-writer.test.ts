import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WAV_HEADER_BYTES, wavHeader, wholeDataBytes } from "./wav-header.ts";
import { createWavWriter, type WavFile } from "./wav-writer.ts";

const SECOND = 50;
const frame = (value = 0) => new Int16Array(160).fill(value);

describe("the WAV writer", () => {
  let directory: string;
  let files = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outreach-wav-"));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const newFile = async () => {
    const path = join(directory, `${files++}.wav`);
    return { path, file: await open(path, "wx") };
  };
  const collected = () => {
    const errors: unknown[] = [];
    return { errors, onError: (error: unknown) => errors.push(error) };
  };

  it("begins with a header that plays to the end of the file, whatever happens", async () => {
    const header = wavHeader(null);
    expect(header.toString("latin1", 0, 4)).toBe("RIFF");
    expect([header.readUInt32LE(4), header.readUInt32LE(54)]).toEqual([0xffff_ffff, 0xffff_ffff]);
    const { path, file } = await newFile();
    const writer = createWavWriter({ file, onError() {} });
    for (let at = 0; at < SECOND; at++) writer.write(frame(1), frame(2));
    for (const end = performance.now() + 5000; performance.now() < end; ) {
      if ((await readFile(path)).length === WAV_HEADER_BYTES + 16_000) break;
    }
    expect((await readFile(path)).subarray(0, WAV_HEADER_BYTES)).toEqual(header);
    await writer.finish();
  });

  it("never waits for the disk while the call runs", async () => {
    const { file } = await newFile();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = {
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        await gate;
        return file.write(bytes, offset, length, position);
      },
      datasync: () => file.datasync(),
      close: () => file.close(),
    } as unknown as WavFile;
    const { errors, onError } = collected();
    const writer = createWavWriter({ file: slow, onError });
    for (let at = 0; at < 30 * SECOND; at++) writer.write(frame(), frame());
    release();
    expect(await writer.finish()).toBe(WAV_HEADER_BYTES + 30 * 16_000);
    expect(errors).toEqual([]);
  });

  it("gives up on a disk that is a minute behind, and says so once", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { file } = await newFile();
    const stuck = {
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        await gate;
        return file.write(bytes, offset, length, position);
      },
      datasync: () => file.datasync(),
      close: () => file.close(),
    } as unknown as WavFile;
    const { errors, onError } = collected();
    const writer = createWavWriter({ file: stuck, onError });
    for (let at = 0; at < 90 * SECOND; at++) writer.write(frame(), frame());
    expect(errors).toMatchObject([{ message: expect.stringContaining("as fast as the call") }]);
    release();
    await writer.finish();
    expect(errors).toHaveLength(1);
  });

  it("keeps what fits on a disk that fills up, reports it once, and doesn't throw", async () => {
    const { path, file } = await newFile();
    let left = 50_001;
    const filling = {
      async write(bytes: Buffer, offset: number, length: number, position: number) {
        // The header is patched in place, which a full disk allows.
        if (position === 0) return file.write(bytes, offset, length, position);
        if (left === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        const fits = Math.min(left, length);
        left -= fits;
        return file.write(bytes, offset, fits, position);
      },
      datasync: () => file.datasync(),
      close: () => file.close(),
    } as unknown as WavFile;
    const { errors, onError } = collected();
    const writer = createWavWriter({ file: filling, onError });
    for (let at = 0; at < 10 * SECOND; at++) writer.write(frame(100), frame(-100));
    const bytes = await writer.finish();
    expect(errors).toMatchObject([{ code: "ENOSPC" }]);
    expect(bytes).toBe(WAV_HEADER_BYTES + 50_000);
    const wav = await readFile(path);
    expect(wav.readUInt32LE(54)).toBe(50_000);
    expect(wav.length - wav.readUInt32LE(54) - WAV_HEADER_BYTES).toBe(1);
  });

  it("survives a disk on which nothing fits", async () => {
    const { errors, onError } = collected();
    const writer = createWavWriter({ file: await open("/dev/full", "r+"), onError });
    for (let at = 0; at < 3 * SECOND; at++) writer.write(frame(), frame());
    expect(await writer.finish()).toBeNull();
    expect(errors).toMatchObject([{ code: "ENOSPC" }]);
  });

  it("cuts or fills up frames of another size, so that the sides stay together", async () => {
    const { path, file } = await newFile();
    const writer = createWavWriter({ file, onError() {} });
    writer.write(new Int16Array(80).fill(1000), new Int16Array(400).fill(1000));
    writer.write(frame(1000), new Int16Array(0));
    expect(await writer.finish()).toBe(WAV_HEADER_BYTES + 2 * 320);
    const audio = (await readFile(path)).subarray(WAV_HEADER_BYTES);
    const silence = 0xff;
    expect(audio[2 * 79]).not.toBe(silence);
    expect(audio[2 * 80]).toBe(silence);
    expect(audio[2 * 159 + 1]).not.toBe(silence);
    expect(audio[320]).not.toBe(silence);
    expect(audio[321]).toBe(silence);
  });

  it("counts whole samples only", () => {
    expect([0, WAV_HEADER_BYTES, WAV_HEADER_BYTES + 1, WAV_HEADER_BYTES + 7].map(wholeDataBytes)).toEqual([
      0, 0, 0, 6,
    ]);
  });
});

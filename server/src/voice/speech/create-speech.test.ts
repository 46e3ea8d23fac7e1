import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { voiceCatalog } from "./catalog.ts";
import { createSpeech, type SpeechOptions } from "./create-speech.ts";
import { wavFile } from "./wav.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function speechWith(options: SpeechOptions = {}) {
  const speech = createSpeech(options);
  closers.push(() => speech.close());
  return speech;
}

/** A worker that does as the text says. */
async function obedientWorker(): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "outreach-speech-"));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "worker.mjs");
  await writeFile(
    file,
    `import { parentPort, threadId } from "node:worker_threads";
     parentPort.on("message", ({ text }) => {
       if (text === "throw") throw new Error("thrown");
       if (text === "exit") process.exit(3);
       if (text === "hang") for (;;);
       if (text === "refuse") return parentPort.postMessage({ error: "refused" });
       parentPort.postMessage({ samples: Int16Array.of(threadId) });
     });`,
  );
  return pathToFileURL(file);
}

const loudness = (samples: Int16Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

describe("the embedded voices", () => {
  it("speak a sentence: each its own way, about equally loud, without silence before and after", async () => {
    const speech = speechWith();
    const text = "Good morning, this is your dentist's office.";
    const spoken = await Promise.all(voiceCatalog.map(({ id }) => speech.synthesize(text, id)));
    for (const samples of spoken) {
      expect(samples.length / 8_000).toBeGreaterThan(1.5);
      expect(samples.length / 8_000).toBeLessThan(4.5);
      expect(loudness(samples)).toBeGreaterThan(2_000);
      expect(loudness(samples)).toBeLessThan(5_500);
      const first = samples.findIndex((sample) => Math.abs(sample) > 400);
      expect(first / 8).toBeLessThan(80);
    }
    expect(new Set(spoken.map((samples) => samples.length)).size).toBe(voiceCatalog.length);
  });

  it("speak the same text the same way, into an array that is the caller's own", async () => {
    const speech = speechWith();
    const first = await speech.synthesize("One moment, please.", "clara");
    const copy = first.slice();
    first.fill(0);
    expect(await speech.synthesize("One moment, please.", "clara")).toEqual(copy);
  });

  it("speak at 16 kHz for previews", async () => {
    const speech = speechWith();
    const [wide, narrow] = await Promise.all([
      speech.synthesize("Hello there.", "angus", 16_000),
      speech.synthesize("Hello there.", "angus"),
    ]);
    expect(wide.length).toBeGreaterThan(2 * narrow.length - 2);
    expect(wide.length).toBeLessThanOrEqual(2 * narrow.length);
  });

  it("pause between sentences", async () => {
    const speech = speechWith();
    const [one, two, both] = await Promise.all(
      ["Yes.", "No.", "Yes. No."].map((text) => speech.synthesize(text, "otto")),
    );
    expect(both!.length - one!.length - two!.length).toBe(2_240);
  });

  it("take any text, and say nothing where there is nothing to say", async () => {
    const speech = speechWith();
    for (const text of ["", "...", "\u65e5\u672c\u8a9e"])
      expect(await speech.synthesize(text, "clara")).toHaveLength(0);
    for (const text of ["-o /etc/passwd", "<speak>a & b</speak>", "x\u0000y", "9".repeat(60), "%s%n"])
      expect((await speech.synthesize(text, "clara")).length).toBeGreaterThan(800);
  });

  it("know only the catalog's voices", async () => {
    await expect(speechWith().synthesize("Hello.", "slt")).rejects.toThrow("there is no voice slt");
  });
});

describe("the speech worker", () => {
  it.each(["throw", "exit"])(
    "that dies (%s) fails what it was at, and the next gets a new one",
    async (how) => {
      const speech = speechWith({ workerFile: await obedientWorker() });
      const [before] = await speech.synthesize("before", "clara");
      const failing = speech.synthesize(how, "clara");
      const queued = speech.synthesize("queued", "clara");
      await expect(failing).rejects.toThrow();
      const [after] = await queued;
      expect(after).not.toBe(before);
    },
  );

  it("that hangs is given up", async () => {
    const speech = speechWith({ workerFile: await obedientWorker(), deadlineMs: 4_000 });
    await expect(speech.synthesize("hang", "clara")).rejects.toThrow("took too long");
    expect(await speech.synthesize("after", "clara")).toHaveLength(1);
  });

  it("that refuses a text goes on", async () => {
    const speech = speechWith({ workerFile: await obedientWorker() });
    const [before] = await speech.synthesize("before", "clara");
    await expect(speech.synthesize("refuse", "clara")).rejects.toThrow("refused");
    expect((await speech.synthesize("after", "clara"))[0]).toBe(before);
  });

  it("ends when it has been idle, and is started again", async () => {
    const speech = speechWith({ workerFile: await obedientWorker(), idleMs: 1 });
    const [first] = await speech.synthesize("first", "clara");
    await expect
      .poll(async () => (await speech.synthesize(`again ${Math.random()}`, "clara"))[0], { interval: 50 })
      .not.toBe(first);
  });

  it("lets others in between the sentences of a long text", async () => {
    const speech = speechWith({ workerFile: await obedientWorker() });
    const order: string[] = [];
    const long = speech.synthesize("One. Two. Three. Four.", "clara").then(() => order.push("long"));
    const short = speech.synthesize("Short.", "clara").then(() => order.push("short"));
    await Promise.all([long, short]);
    expect(order).toEqual(["short", "long"]);
  });

  it("is gone after closing, with what still waited rejected", async () => {
    const speech = createSpeech({ workerFile: await obedientWorker() });
    const hanging = speech.synthesize("hang", "clara");
    const queued = speech.synthesize("queued", "clara");
    const outcomes = Promise.allSettled([hanging, queued]);
    await speech.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(speech.synthesize("late", "clara")).rejects.toThrow("closed");
    await speech.close();
  });

  it("isn't started before it is needed, so closing has nothing to do", async () => {
    await createSpeech({ workerFile: new URL("file:///nowhere/worker.js") }).close();
  });

  it("that can't be started fails the request", async () => {
    const speech = speechWith({ workerFile: new URL("file:///nowhere/worker.js") });
    await expect(speech.synthesize("Hello.", "clara")).rejects.toThrow();
  });
});

describe("a WAV file", () => {
  it("has its format and its length in front", () => {
    const file = wavFile(Int16Array.of(1, -2, 32_767), 16_000);
    expect(file).toHaveLength(50);
    expect(file.toString("latin1", 0, 4)).toBe("RIFF");
    expect(file.readUInt32LE(4)).toBe(42);
    expect(file.readUInt32LE(24)).toBe(16_000);
    expect(file.readUInt32LE(40)).toBe(6);
    expect(file.readInt16LE(46)).toBe(-2);
  });
});

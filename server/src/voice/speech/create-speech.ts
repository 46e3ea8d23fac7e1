import { Worker } from "node:worker_threads";
import { findVoice, type VoiceId } from "./catalog.ts";
import type { SpeechAnswer, SpeechJob } from "./flite-worker.ts";
import type { Speech, SpeechSampleRate } from "./speech.ts";
import { createSpokenCache } from "./spoken-cache.ts";
import { spokenParts } from "./spoken-text.ts";

export interface SpeechOptions {
  /** What the worker thread is started from. Default: the one that was built beside the bundle. */
  workerFile?: URL;
  /** How much audio is kept for texts that come again. Default 8 MB: 500 s at 8 kHz. */
  cacheBytes?: number;
  /** After so long without a request the worker ends, and its 70 to 150 MB with it. Default 60 s. */
  idleMs?: number;
  /** A part that takes longer is given up, and the worker with it. Default 15 s: a part takes some 100 ms. */
  deadlineMs?: number;
}

interface Waiting {
  job: SpeechJob;
  resolve(samples: Int16Array): void;
  reject(error: Error): void;
}

/** Between sentences, as a person breathes. */
const PAUSE_SECONDS = 0.28;

/**
 * The embedded voices. Nothing is loaded before the first request; a worker that dies fails the request it was working on
 * and is started anew for the next.
 */
export function createSpeech({
  workerFile = builtWorker(),
  cacheBytes = 8_000_000,
  idleMs = 60_000,
  deadlineMs = 15_000,
}: SpeechOptions = {}): Speech {
  const cache = createSpokenCache(cacheBytes);
  const waiting: Waiting[] = [];
  let current: Waiting | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let ending: Promise<unknown> = Promise.resolve();
  let closed = false;

  function start(): Worker {
    const started = new Worker(workerFile, {
      name: "speech",
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    started.on("message", (answer: SpeechAnswer) => {
      if (started === worker) settle(answer);
    });
    started.on("error", (error) => lose(started, error));
    started.on("exit", (code) => lose(started, new Error(`the speech worker ended with code ${code}`)));
    // A service that wants to end isn't kept from it by a thread that has nothing to do.
    started.unref();
    return started;
  }

  function settle(answer: SpeechAnswer) {
    clearTimeout(timer);
    const done = current;
    current = null;
    if ("samples" in answer) done?.resolve(answer.samples);
    else done?.reject(new Error(answer.error));
    next();
  }

  /** Ends this worker if it is the one in use, and fails what it was working on. */
  function lose(which: Worker, error: Error) {
    if (which !== worker) return;
    worker = null;
    ending = which.terminate();
    settle({ error: error.message });
  }

  function next() {
    if (current || closed) return;
    current = waiting.shift() ?? null;
    if (current) {
      worker ??= start();
      const busy = worker;
      worker.ref();
      timer = setTimeout(() => lose(busy, new Error("the speech worker took too long")), deadlineMs);
      worker.postMessage(current.job);
    } else if (worker) {
      const idle = worker;
      worker.unref();
      timer = setTimeout(() => {
        worker = null;
        ending = idle.terminate();
      }, idleMs);
      timer.unref();
    }
  }

  function speakPart(job: SpeechJob): Promise<Int16Array> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error("speech is closed"));
      waiting.push({ job, resolve, reject });
      if (!current) clearTimeout(timer);
      next();
    });
  }

  return {
    async synthesize(text, voice, sampleRate = 8_000) {
      const id = findVoice(voice)?.id;
      if (id === undefined) throw new Error(`there is no voice ${voice}`);
      const spoken: Int16Array[] = [];
      // Part by part, so that a long text lets other calls' sentences in between.
      for (const part of spokenParts(text))
        spoken.push(
          await cache.get(keyOf(part, id, sampleRate), () =>
            speakPart({ text: part, voice: id, sampleRate }),
          ),
        );
      return joined(spoken, Math.round(PAUSE_SECONDS * sampleRate));
    },

    async close() {
      closed = true;
      clearTimeout(timer);
      const error = new Error("speech is closed");
      current?.reject(error);
      current = null;
      for (const { reject } of waiting.splice(0)) reject(error);
      const last = worker;
      worker = null;
      await Promise.all([ending, last?.terminate()]);
    },
  };
}

function keyOf(part: string, voice: VoiceId, sampleRate: SpeechSampleRate): string {
  return `${voice} ${sampleRate} ${part}`;
}

function joined(parts: readonly Int16Array[], pause: number): Int16Array {
  const spoken = parts.filter((part) => part.length > 0);
  const length = spoken.reduce((sum, part) => sum + part.length, 0) + pause * Math.max(0, spoken.length - 1);
  const whole = new Int16Array(length);
  let at = 0;
  for (const part of spoken) {
    whole.set(part, at);
    at += part.length + pause;
  }
  return whole;
}

/** Beside the bundle. The sources (under the test runner) use the one that their bundle would have. */
function builtWorker(): URL {
  const file = import.meta.url.endsWith(".ts") ? "../../../dist/flite-worker.js" : "./flite-worker.js";
  return new URL(file, import.meta.url);
}

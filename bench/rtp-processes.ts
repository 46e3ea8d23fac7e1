import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { encodeG711 } from "../server/src/voice/media/g711.ts";
import { createSpeech } from "../server/src/voice/speech/index.ts";

export type CallerRequest =
  | { type: "open"; calls: number; speech: number[] }
  | { type: "speak"; ports: number[] }
  | { type: "measure" | "report" | "stop" };
export interface CallerReport {
  type: "report";
  /** Packets that came, of each call. */
  received: number[];
  /** How often each gap between arrivals was seen, by tenths of a millisecond. */
  gaps: number[];
}
export type CallerMessage = { type: "opened"; ports: number[] } | CallerReport;
export type MediaRequest =
  | { type: "open"; remotePorts: number[]; speech: number[] }
  | { type: "measure" | "report" | "stop" };
export type MediaMessage =
  | { type: "ready" }
  | { type: "opened"; ports: number[] }
  | { type: "report"; cpuMs: number };

export interface MediaFigures {
  calls: number;
  /** Gaps between the frames of one call, as they arrived, milliseconds. */
  p50: number;
  p99: number;
  longest: number;
  /** Of the call that got the fewest. */
  fewestFramesPerSecond: number;
  /** Of the process that answers, milliseconds of CPU in a second of one call. */
  cpuMsPerCall: number;
  /** Of one core. */
  load: number;
}

const SETTLE_MS = 4_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** µ-law of an embedded voice, with pauses: about half of the time somebody speaks. */
export async function benchSpeech(): Promise<number[]> {
  const speech = createSpeech({ workerFile: new URL("../server/dist/flite-worker.js", import.meta.url) });
  try {
    const text =
      "Yes, I remember that we talked last week. Tomorrow at ten would be fine for me, but not for long.";
    const samples = await speech.synthesize(text, "clara");
    const withPause = new Int16Array(samples.length * 2);
    withPause.set(samples);
    return [...encodeG711("pcmu", withPause)];
  } finally {
    await speech.close();
  }
}

/**
 * Lets `calls` calls run against a program, from another process, and measures for so many seconds.
 * @param program `media-process` or `rtp-echo-process`
 */
export async function measureCalls(options: {
  program: "media-process" | "rtp-echo-process";
  calls: number;
  seconds: number;
  speech: number[];
}): Promise<MediaFigures> {
  const { program, calls, seconds, speech } = options;
  const start = (name: string) => fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)));
  const caller = start("rtp-caller-process");
  const media = start(program);
  try {
    await answer<MediaMessage>(media, "ready");
    caller.send({ type: "open", calls, speech } satisfies CallerRequest);
    const { ports: remotePorts } = await answer<CallerMessage, "opened">(caller, "opened");
    media.send({ type: "open", remotePorts, speech } satisfies MediaRequest);
    const { ports } = await answer<MediaMessage, "opened">(media, "opened");
    caller.send({ type: "speak", ports } satisfies CallerRequest);
    await sleep(SETTLE_MS);
    const began = performance.now();
    for (const child of [caller, media]) child.send({ type: "measure" });
    await sleep(seconds * 1_000);
    for (const child of [caller, media]) child.send({ type: "report" });
    const [heard, used] = await Promise.all([
      answer<CallerMessage, "report">(caller, "report"),
      answer<MediaMessage, "report">(media, "report"),
    ]);
    const measuredSeconds = (performance.now() - began) / 1_000;
    return {
      calls,
      p50: quantileOf(heard.gaps, 0.5),
      p99: quantileOf(heard.gaps, 0.99),
      longest: heard.gaps.findLastIndex((count) => count > 0) / 10,
      fewestFramesPerSecond: Math.min(...heard.received) / measuredSeconds,
      cpuMsPerCall: used.cpuMs / measuredSeconds / calls,
      load: used.cpuMs / 1_000 / measuredSeconds,
    };
  } finally {
    for (const child of [caller, media]) {
      const gone = once(child, "exit");
      if (child.connected) child.send({ type: "stop" });
      await gone;
    }
  }
}

async function answer<M extends { type: string }, T extends M["type"] = M["type"]>(
  child: ChildProcess,
  type: T,
): Promise<Extract<M, { type: T }>> {
  for (;;) {
    const [message] = (await once(child, "message")) as [M];
    if (message.type === type) return message as Extract<M, { type: T }>;
  }
}

function quantileOf(bins: readonly number[], part: number): number {
  const total = bins.reduce((sum, count) => sum + count, 0);
  let left = total * part;
  const bin = bins.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return bin / 10;
}

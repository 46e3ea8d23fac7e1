import { report } from "./report.ts";
import { benchSpeech, measureCalls } from "./rtp-processes.ts";

/** 50 calls at once, their far sides in another process: how evenly the service's frames arrive there. */
const CALLS = 50;
const SECONDS = 30;

const figures = await measureCalls({
  program: "media-process",
  calls: CALLS,
  seconds: SECONDS,
  speech: await benchSpeech(),
});
report("media-pacing", [
  {
    what: `gap between the frames of one call, ${CALLS} calls of G.711, at the receiver`,
    measured: `p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms, longest ${figures.longest.toFixed(0)} ms`,
    reach: "p99 ≤ 40 ms",
    reached: figures.p99 <= 40,
  },
  {
    what: "the call with the fewest frames",
    measured: `${figures.fewestFramesPerSecond.toFixed(2)} frames/s`,
    reach: "≥ 49 frames/s",
    reached: figures.fewestFramesPerSecond >= 49,
  },
  {
    what: "CPU",
    measured: `${figures.cpuMsPerCall.toFixed(2)} ms/s a call, ${Math.round(figures.load * 100)} % of a core`,
    reach: "for information",
    reached: true,
  },
]);

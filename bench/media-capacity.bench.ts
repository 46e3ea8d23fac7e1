import { median, report } from "./report.ts";
import { benchSpeech, type MediaFigures, measureCalls } from "./rtp-processes.ts";

/**
 * How many calls one process carries on one core while frames still come evenly, and what a call costs beside a bare RTP
 * echo of the same packets with the codec. Echo and calls are measured in turns.
 */
const COMPARED_CALLS = 50;
const ROUNDS = 3;
const SECONDS = 8;
const STEPS = [100, 150, 200, 250, 300, 400, 500, 600];

const speech = await benchSpeech();
const isGood = ({ p99, fewestFramesPerSecond }: MediaFigures) => p99 <= 40 && fewestFramesPerSecond >= 49;

const rounds = [];
for (let round = 0; round < ROUNDS; round++) {
  const echo = await measureCalls({
    program: "rtp-echo-process",
    calls: COMPARED_CALLS,
    seconds: SECONDS,
    speech,
  });
  const calls = await measureCalls({
    program: "media-process",
    calls: COMPARED_CALLS,
    seconds: SECONDS,
    speech,
  });
  rounds.push({ echo, calls, ratio: calls.cpuMsPerCall / echo.cpuMsPerCall });
}

let most: MediaFigures | null = null;
for (const calls of STEPS) {
  const figures = await measureCalls({ program: "media-process", calls, seconds: SECONDS, speech });
  console.log(
    `  ${calls} calls: p99 ${figures.p99.toFixed(1)} ms, fewest ${figures.fewestFramesPerSecond.toFixed(1)} frames/s, ` +
      `${figures.cpuMsPerCall.toFixed(2)} ms/s a call, ${Math.round(figures.load * 100)} % of a core`,
  );
  if (!isGood(figures)) break;
  most = figures;
}

const ratio = median(rounds.map((round) => round.ratio));
report("media-capacity", [
  {
    what: `CPU of a call: RTP, jitter buffer, clock, voice activity, playout, coding for the recording (${COMPARED_CALLS} calls)`,
    measured: `${median(rounds.map(({ calls }) => calls.cpuMsPerCall)).toFixed(2)} ms/s`,
    limit: `bare RTP echo ${median(rounds.map(({ echo }) => echo.cpuMsPerCall)).toFixed(2)} ms/s`,
    ratio,
    reach: "≤ 2",
    reached: ratio <= 2,
  },
  {
    what: "calls of one process at p99 ≤ 40 ms and 49 frames/s (the far sides on the other core)",
    measured: most
      ? `${most.calls} at ${Math.round(most.load * 100)} % of a core, p99 ${most.p99.toFixed(1)} ms`
      : `fewer than ${STEPS[0]}`,
    reach: "≥ 100",
    reached: most !== null,
  },
]);

import { mulberry32 } from "../server/src/voice/answering-machine/testing/phone-line.ts";
import { createJitterBuffer } from "../server/src/voice/media/jitter-buffer.ts";
import { median, quantile, report } from "./report.ts";

/**
 * Ten minutes of packets through a network that loses 2 or 5 percent and delays each by 0 to 60 ms, in simulated time: what
 * is played when, and what it costs.
 */
const MINUTES = 10;
const JITTER_MS = 60;
const LOSSES = [0.02, 0.05];
const FRAMES = MINUTES * 60 * 50;
/** Until it knows the network. */
const SETTLED = 100;

const lines = LOSSES.flatMap((loss) => {
  const random = mulberry32(loss * 1_000);
  const arrivals = Array.from({ length: FRAMES }, (_, index) => ({
    index,
    atMs: index * 20 + random() * JITTER_MS,
    lost: random() < loss,
  }))
    .filter(({ lost }) => !lost)
    .sort((a, b) => a.atMs - b.atMs);
  const buffer = createJitterBuffer();
  const delays: number[] = [];
  let silent = 0;
  let concealed = 0;
  let next = 0;
  const began = process.cpuUsage();
  for (let pull = 0; pull < FRAMES; pull++) {
    const nowMs = pull * 20 + 11;
    for (; next < arrivals.length && arrivals[next]!.atMs <= nowMs; next++) {
      const { index, atMs } = arrivals[next]!;
      // The frame's number is in its samples: so it is known what is played when.
      const samples = new Int16Array(160).fill(index - 16_000);
      buffer.push({ ssrc: 1, sequenceNumber: index & 0xffff, timestamp: index * 160 }, samples, atMs);
    }
    const frame = buffer.pull(nowMs);
    if (pull < SETTLED) continue;
    if (!frame) silent++;
    else if (frame.concealed) concealed++;
    else delays.push(nowMs - (frame.samples[100]! + 16_000) * 20);
  }
  const { user, system } = process.cpuUsage(began);
  const longest = Math.max(...delays);
  const label = `${loss * 100} % loss, ${JITTER_MS} ms jitter, ${MINUTES} minutes`;
  return [
    {
      what: `${label}: frames that neither came nor were concealed`,
      measured: `${silent} of ${FRAMES - SETTLED}; concealed ${((100 * concealed) / (FRAMES - SETTLED)).toFixed(1)} %, lost ${(100 - (100 * arrivals.length) / FRAMES).toFixed(1)} %`,
      reach: "0",
      reached: silent === 0,
    },
    {
      what: `${label}: from sending to playing`,
      measured: `p50 ${median(delays).toFixed(0)} ms, p99 ${quantile(delays, 0.99).toFixed(0)} ms, longest ${longest.toFixed(0)} ms`,
      reach: "≤ 120 ms",
      reached: longest <= 120,
    },
    {
      what: `${label}: CPU`,
      measured: `${((user + system) / FRAMES).toFixed(1)} µs a frame`,
      reach: "for information",
      reached: true,
    },
  ];
});
report("jitter-buffer", lines);

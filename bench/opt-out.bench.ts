import { readOptOut } from "../server/src/opt-out-rules/index.ts";
import { heldOutSet } from "../server/src/opt-out-rules/testing/held-out-set.ts";
import { spentSet } from "../server/src/opt-out-rules/testing/spent-set.ts";
import { tuningSet } from "../server/src/opt-out-rules/testing/tuning-set.ts";
import type { Utterance } from "../server/src/opt-out-rules/testing/utterance.ts";
import { report } from "./report.ts";

/** Whether opt-outs are told from everything else. The held-out set is what counts: the rules were made to fit the other. */
const ROUNDS = 40;

const tuned = score("tuning", [...tuningSet, ...spentSet]);
const heldOut = score("held-out", heldOutSet);
const texts = [...tuningSet, ...spentSet, ...heldOutSet];
const started = performance.now();
for (let round = 0; round < ROUNDS; round++) for (const { text, ...from } of texts) readOptOut(text, from);
const microseconds = ((performance.now() - started) * 1000) / (ROUNDS * texts.length);
const hostile = "stop, don't never call me ".repeat(4_000);
const before = performance.now();
readOptOut(hostile.replaceAll("call", "calx"), { channel: "call", speaker: "user" });
const longest = performance.now() - before;

report("opt-out", [
  line("precision, tuning set", tuned.precision, 0.98),
  line("recall, tuning set", tuned.recall, 0.98),
  line(`precision, held-out set of ${heldOutSet.length}`, heldOut.precision, 0.95),
  line(`recall, held-out set of ${heldOutSet.length}`, heldOut.recall, 0.85),
  {
    what: "one utterance",
    measured: `${microseconds.toFixed(0)} µs`,
    reach: "≤ 500 µs",
    reached: microseconds <= 500,
  },
  {
    what: "100 kB of near misses",
    measured: `${longest.toFixed(0)} ms`,
    reach: "≤ 500 ms",
    reached: longest <= 500,
  },
]);

function line(what: string, part: number, reach: number) {
  return {
    what,
    measured: `${(100 * part).toFixed(1)} %`,
    reach: `≥ ${(100 * reach).toFixed(0)} %`,
    reached: part >= reach,
  };
}

function score(name: string, set: readonly Utterance[]) {
  const counts = { right: 0, found: 0, optOuts: 0 };
  for (const { text, channel, speaker, isOptOut } of set) {
    const told = readOptOut(text, { channel, speaker }).opt_out;
    if (told) counts.found++;
    if (isOptOut) counts.optOuts++;
    if (told && isOptOut) counts.right++;
    if (told !== isOptOut)
      console.log(`${name}: ${told ? "taken for an opt-out" : "missed"}: ${channel}: ${text}`);
  }
  console.log(
    `${name}: ${set.length} utterances, ${counts.optOuts} opt-outs, ${counts.found} told, ${counts.right} of them rightly`,
  );
  return { precision: counts.right / counts.found, recall: counts.right / counts.optOuts };
}

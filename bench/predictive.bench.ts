import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MOST_ABANDONED } from "../server/src/features/dialing/pacing/abandonment.ts";
import {
  ADAPT_EVERY_MS,
  adaptDialLevel,
  seatsAhead,
} from "../server/src/features/dialing/pacing/adapt-dial-level.ts";
import { linesToDial, type PacingState } from "../server/src/features/dialing/pacing/lines-to-dial.ts";
import { type Outcome, type Policy, runCampaign, type World } from "./predictive-model.ts";
import { type Panel, plotPacing } from "./predictive-plot.ts";
import { report } from "./report.ts";

/**
 * How much of their time seats talk when lines are paced by the mode `predictive`, against the best fixed ratio of lines to seats at the
 * same share of abandoned calls. There are two rules of a fixed ratio: so many lines for each free seat (the mode `power`), and so many for
 * each seat, those of the talks under way among them. Each is tried with ratios from 1 on; the better one counts.
 */
const REACH = 1.05;
const STEP_PER_FREE_SEAT = 0.5;
const STEP_PER_SEAT = 0.1;
/** Ratios that abandon more aren't tried. */
const ABANDONS_ENOUGH = 0.06;
const PLOT = join("docs", "images", "predictive-pacing.svg");

/** Nearly nobody is at home in the morning, four of ten lines bring somebody in the early evening. */
const swinging: World["rates"] = (hour) => ({
  people:
    0.16 +
    0.1 * Math.sin(((hour - 9) / 12) * 2 * Math.PI + 3.6) +
    0.16 * Math.exp(-((hour - 18.5) ** 2) / 2.5),
  machines: 0.3,
  busy: 0.05,
});
const steady: World["rates"] = () => ({ people: 0.2, machines: 0.3, busy: 0.05 });
const world = (seats: number, rates: World["rates"]): World => ({
  seats,
  days: 3,
  rates,
  talk: { mean: 95, sigma: 0.9 },
  seed: seats,
});

const ROOMY = { organization: 1e6, channels: 1e6, starts: 1e6, holds: 1e6 };
const paced =
  (state: Pick<PacingState, "mode" | "linesPerSeat">): Policy =>
  ({ seats, lines, abandonment }) =>
    linesToDial({
      ...state,
      concurrency: seats,
      pace: { level: 1, ahead: 0 },
      lines,
      abandonment,
      room: ROOMY,
    });
const perFreeSeat = (ratio: number) => paced({ mode: "power", linesPerSeat: ratio });
const perSeat =
  (ratio: number): Policy =>
  ({ seats, lines }) =>
    Math.max(0, Math.floor(ratio * seats) - lines.pending - lines.talking);

function predictive(): Policy {
  let pace = { level: 1.5, ahead: 0 };
  let adaptedAt = Number.NEGATIVE_INFINITY;
  return (look) => {
    const { at, seats, lines, abandonment } = look;
    if ((at - adaptedAt) * 1_000 >= ADAPT_EVERY_MS) {
      adaptedAt = at;
      const recent = look.recent();
      pace = { level: adaptDialLevel({ level: pace.level, recent, abandonment }), ahead: seatsAhead(recent) };
    }
    return linesToDial({
      mode: "predictive",
      concurrency: seats,
      linesPerSeat: 1.5,
      pace,
      lines,
      abandonment,
      room: ROOMY,
    });
  };
}

type Tried = Outcome & { ratio: number };
/** Ratios from 1 on, until one abandons far too many. */
function tryOut(of: World, make: (ratio: number) => Policy, step: number): Tried[] {
  const tried: Tried[] = [];
  for (
    let ratio = 1;
    (tried.at(-1)?.abandoned ?? 0) < ABANDONS_ENOUGH;
    ratio = Number((ratio + step).toFixed(2))
  )
    tried.push({ ratio, ...runCampaign(of, make(ratio)) });
  return tried;
}

/** The utilization of a rule at a share of abandoned calls: between two ratios that were tried, on the line between them. */
function at(abandoned: number, tried: readonly Tried[]): number {
  const above = tried.findIndex((outcome) => outcome.abandoned >= abandoned);
  const [high, low] = [tried[above], tried[above - 1]];
  if (!high || !low) throw new Error(`The ratios tried don't reach ${abandoned}.`);
  const part = (abandoned - low.abandoned) / (high.abandoned - low.abandoned);
  return low.utilization + part * (high.utilization - low.utilization);
}

const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const panels: Panel[] = [];
const lines = [
  { name: "a day that swings", rates: swinging, sizes: [20, 50], reach: REACH },
  // Where there is nothing to adapt to, a ratio known beforehand can only be equalled.
  { name: "a day without any change", rates: steady, sizes: [20], reach: 0.95 },
].flatMap(({ name, rates, sizes, reach }) =>
  sizes.map((seats) => {
    const of = world(seats, rates);
    const ours = runCampaign(of, predictive());
    const free = tryOut(of, perFreeSeat, STEP_PER_FREE_SEAT);
    const all = tryOut(of, perSeat, STEP_PER_SEAT);
    const best = Math.max(at(ours.abandoned, free), at(ours.abandoned, all));
    if (rates === swinging) panels.push(panelOf(seats, ours, free, all));
    console.log(`${seats} seats, ${name}, by hour (utilization, abandoned):`);
    console.log(
      ours.byHour
        .map(
          ({ hour, utilization, abandoned }) =>
            `  ${hour}: ${percent(utilization, 0)}, ${percent(abandoned)}`,
        )
        .join(" "),
    );
    return {
      what: `${seats} seats, ${name}: ${percent(ours.abandoned, 2)} of ${ours.answered} abandoned, never above ${percent(ours.worstAbandoned, 2)}`,
      measured: `seats talk ${percent(ours.utilization)}`,
      limit: `best fixed ratio ${percent(best)}`,
      ratio: ours.utilization / best,
      reach: `≥ ${reach}, never above ${percent(MOST_ABANDONED, 0)}`,
      reached: ours.utilization / best >= reach && ours.worstAbandoned <= MOST_ABANDONED,
    };
  }),
);
report("predictive", lines);
mkdirSync(join("docs", "images"), { recursive: true });
writeFileSync(PLOT, plotPacing(panels, { mostX: 6, fromY: 40, toY: 90, bound: 100 * MOST_ABANDONED }));
console.log(`The plot is in ${PLOT}.`);

function panelOf(seats: number, ours: Outcome, free: readonly Tried[], all: readonly Tried[]): Panel {
  const point = ({ abandoned, utilization }: Outcome) => ({ x: 100 * abandoned, y: 100 * utilization });
  const labelled = (tried: readonly Tried[]) =>
    tried.map((one) => ({ ...point(one), label: String(one.ratio) }));
  return {
    title: `Share of the time that ${seats} seats talk`,
    series: [
      {
        name: "predictive",
        color: "#00695c",
        line: false,
        points: [{ ...point(ours), label: "predictive" }],
      },
      { name: "fixed: lines for each free seat", color: "#1565c0", line: true, points: labelled(free) },
      { name: "fixed: lines for each seat", color: "#ef6c00", line: true, points: labelled(all) },
    ],
  };
}

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Simulation, simulate } from "../server/src/simulation/simulate.ts";
import { openTemporaryDatabase } from "../server/src/simulation/temporary-database.ts";
import { report } from "./report.ts";

/**
 * The service's dialer, rules and SQL over made-up people on a virtual clock, checked by rules that were written twice. Small unless
 * told otherwise: SIMULATE="--leads 100000 --days 5 --mode predictive" npm run bench simulate
 */
const { values } = parseArgs({
  args: process.env.SIMULATE?.split(" ").filter((word) => word !== "") ?? [],
  options: {
    leads: { type: "string", default: "3000" },
    days: { type: "string", default: "2" },
    mode: { type: "string" },
    seats: { type: "string" },
    dialers: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    // Thursday: a weekend follows, and on its Sunday clocks are moved.
    start: { type: "string", default: "2026-03-05" },
  },
});
const MODES: readonly Simulation["mode"][] = ["ai", "predictive"];
const leads = Number(values.leads);

const lines: Parameters<typeof report>[1][number][] = [];
for (const mode of MODES.filter((one) => values.mode === undefined || values.mode === one)) {
  const simulation: Simulation = {
    ...{ leads, mode, days: Number(values.days), seed: Number(values.seed), start: values.start },
    seats: values.seats === undefined ? Math.max(20, leads / 1_000) : Number(values.seats),
    dialers: Number(values.dialers),
  };
  const { database, remove } = await openTemporaryDatabase({
    ...{
      databaseUrl: null,
      migrations: fileURLToPath(new URL("../server/migrations", import.meta.url)),
      poolSize: 6,
    },
  });
  try {
    const { total, violations, spent } = await simulate({ database }, simulation, (day) => {
      console.log(`  ${mode} ${day.date}: ${day.attempts} attempts, ${day.seconds.toFixed(1)} s`);
    });
    const doubles = violations.filter(({ breach }) => breach === "two_at_once").length;
    const what = `${mode}, ${leads.toLocaleString("en-US")} leads, ${simulation.days} days, ${simulation.seats} seats, ${simulation.dialers} dialers, seed ${simulation.seed}`;
    const abandoned = total.answers === 0 ? 0 : total.abandoned / total.answers;
    lines.push(
      {
        what,
        measured: `${total.attempts.toLocaleString("en-US")} attempts, ${total.answers.toLocaleString("en-US")} answers, ${violations.length} violations, ${doubles} double dials, ${(100 * abandoned).toFixed(2)} % abandoned`,
        reach: "0, 0, ≤ 3 %",
        reached: violations.length === 0 && doubles === 0 && abandoned <= 0.03 && total.attempts > 0,
      },
      {
        what: "of real time",
        measured: `${total.seconds.toFixed(0)} s (${Object.entries(spent)
          .map(([on, seconds]) => `${on} ${seconds.toFixed(0)} s`)
          .join(", ")}), ${Math.round(total.attempts / total.seconds)} attempts/s`,
        reach: "minutes",
        reached: total.seconds < 3_600,
      },
    );
    for (const { breach, at, detail } of violations.slice(0, 10))
      console.log(`  ${breach} ${new Date(at).toISOString()} ${detail}`);
  } finally {
    await remove();
  }
}
report("simulate", lines);

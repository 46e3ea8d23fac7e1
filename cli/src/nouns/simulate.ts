import { type Command, InvalidArgumentError, Option } from "commander";
import { Refusal } from "../failure.ts";
import {
  type Context,
  isCalendarDay,
  type SimulatedDay,
  type SimulationFlags,
  type SimulationRecord,
} from "../verb.ts";

const MOST_SHOWN = 20;

/** `outreach simulate`: the service's dialer against made-up people, in this process and on a database of its own. */
export function addSimulate(program: Command, context: Context): void {
  program
    .command("simulate")
    .description("have the dialer call made-up people for some days, in minutes, and check all that it does")
    .option("--leads <n>", "how many people", within(1, 1_000_000), 10_000)
    .option("--days <n>", "how many days", within(1, 60), 5)
    .option(
      "--seed <n>",
      "the same seed makes the same people and calls; drawn when left out",
      within(0, 2 ** 31),
    )
    .addOption(
      new Option("--mode <mode>", "how the campaign dials")
        .choices(["ai", "power", "predictive"])
        .default("ai"),
    )
    .option(
      "--seats <n>",
      "calls at once (ai), or seats; 1 for 1,000 people, at least 5, when left out",
      within(1, 10_000),
    )
    .option("--dialers <n>", "dialers that share the work", within(1, 16))
    .option("--start <date>", "the first day, such as 2027-03-05; today when left out", date)
    .option("--json", "print the record as one JSON object")
    .action(async ({ json, ...flags }: SimulationFlags & { json?: boolean }) => {
      const { simulateDialing } = await context.loadServer();
      if (!json) context.out(`${HEADER}\n`);
      let record: SimulationRecord;
      try {
        record = await simulateDialing(context.environment, flags, (day) => {
          if (!json) context.out(`${line(day)}\n`);
        });
      } catch (error) {
        // By name: the service is another bundle, with classes of its own.
        if (!(error instanceof Error) || !["ConfigError", "SimulationRefused"].includes(error.name))
          throw error;
        throw new Refusal({ error: "simulation_failed", message: error.message });
      }
      context.out(json ? `${JSON.stringify(record)}\n` : report(record));
      if (record.violations.length > 0) context.exitWith(1);
    });
}

const COLUMNS: readonly [name: string, width: number, of: (day: SimulatedDay) => string][] = [
  ["day", 10, ({ date }) => date],
  ["attempts", 9, ({ attempts }) => grouped(attempts)],
  ["answers", 8, ({ answers }) => grouped(answers)],
  ["answer rate", 11, ({ answers, attempts }) => percent(answers, attempts)],
  ["abandoned", 9, ({ abandoned, answers }) => percent(abandoned, answers)],
  ["violations", 10, ({ violations }) => grouped(violations)],
  ["tokens", 11, ({ tokens }) => grouped(tokens)],
  ["took", 8, ({ seconds }) => `${seconds.toFixed(1)} s`],
];
const HEADER = COLUMNS.map(([name, width]) => name.padStart(width)).join("  ");

function line(day: SimulatedDay): string {
  return COLUMNS.map(([, width, of]) => of(day).padStart(width)).join("  ");
}

function report(record: SimulationRecord): string {
  const { total, standings, violations, completed, spent, leads, days, seed, mode, seats, dialers, start } =
    record;
  const lines = [
    line({ ...total, date: "total" }),
    "",
    completed ? "The campaign was completed: nobody was left to call." : "The campaign was still active.",
    ...standings.map(
      ({ state, status, leads: count }) => `${grouped(count).padStart(9)}  ${state}, ${status}`,
    ),
    "",
    `Time went into ${Object.entries(spent)
      .map(([what, seconds]) => `${what} (${seconds.toFixed(1)} s)`)
      .join(", ")}.`,
    ...violations
      .slice(0, MOST_SHOWN)
      .map(({ breach, at, number, detail }) =>
        [at === 0 ? "" : new Date(at).toISOString(), breach, number ?? "", detail].join("  ").trim(),
      ),
    violations.length === 0
      ? "No violation."
      : `${grouped(violations.length)} violations${violations.length > MOST_SHOWN ? `, of which the first ${MOST_SHOWN} are shown` : ""}.`,
    `Again: outreach simulate --leads ${leads} --days ${days} --mode ${mode} --seats ${seats} --dialers ${dialers} --start ${start} --seed ${seed}`,
  ];
  return `${lines.join("\n")}\n`;
}

const grouped = (count: number) => count.toLocaleString("en-US");
const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function date(text: string): string {
  if (isCalendarDay(text)) return text;
  throw new InvalidArgumentError("It must be a date such as 2027-03-05.");
}

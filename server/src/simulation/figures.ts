import type { EndedCall } from "./carrier/modelled-carrier.ts";
import type { Checker } from "./checker/checker.ts";

/** What came of a day, or of all. */
export interface DayFigures {
  /** `YYYY-MM-DD`, on which it began; of all: the first. */
  date: string;
  attempts: number;
  /** Answered by a person. */
  answers: number;
  machines: number;
  abandoned: number;
  opt_outs: number;
  tokens: number;
  violations: number;
  /** Of real time. */
  seconds: number;
}

export interface Figures {
  dialed(at: number): void;
  ended(call: EndedCall): void;
  day(index: number): DayFigures;
  days(): DayFigures[];
  total(): DayFigures;
}

const DAY_MS = 86_400_000;

/** @param options `from`: when the first day begins, milliseconds since the epoch */
export function countFigures(options: { from: number; days: number; checker: Checker }): Figures {
  const { from, checker } = options;
  const days = Array.from({ length: options.days }, (_, index): DayFigures => {
    const date = new Date(from + index * DAY_MS).toISOString().slice(0, 10);
    return {
      ...{ date, attempts: 0, answers: 0, machines: 0, abandoned: 0, opt_outs: 0, tokens: 0, violations: 0 },
      seconds: 0,
    };
  });
  const dayOf = (at: number) => days[Math.min(days.length - 1, Math.floor((at - from) / DAY_MS))]!;
  const started = performance.now();
  let counted = 0;
  const elapsed = () => (performance.now() - started) / 1_000;

  return {
    dialed(at) {
      dayOf(at).attempts++;
    },
    ended({ at, ending, optedOut, costTokens }) {
      const day = dayOf(at);
      if (ending === "person" || ending === "abandoned") day.answers++;
      if (ending === "abandoned") day.abandoned++;
      if (ending === "voicemail") day.machines++;
      if (optedOut) day.opt_outs++;
      day.tokens += costTokens;
    },
    day(index) {
      const day = days[index]!;
      day.seconds = elapsed() - counted;
      counted += day.seconds;
      day.violations = checker.violations().filter(({ at }) => at >= from && dayOf(at) === day).length;
      return day;
    },
    days: () => days,
    total() {
      const total = { ...days[0]!, violations: checker.violations().length, seconds: elapsed() };
      for (const key of ["attempts", "answers", "machines", "abandoned", "opt_outs", "tokens"] as const)
        total[key] = days.reduce((sum, day) => sum + day[key], 0);
      return total;
    },
  };
}

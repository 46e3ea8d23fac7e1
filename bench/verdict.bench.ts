import { callingRules } from "../server/src/features/compliance/calling-rules.ts";
import { createDecideCall } from "../server/src/features/compliance/decide-call.ts";
import { loadRules } from "../server/src/features/compliance/rule-book.ts";
import { question } from "../server/src/features/compliance/testing/question.ts";
import { median, report } from "./report.ts";

/** How many leads can be judged in a second of one core, whatever else the machine is doing: numbers of every area code, in campaigns with hours of their own. */
const REACH = 200_000;
const VERDICTS = 400_000;
const ROUNDS = 5;
const FROM = Date.UTC(2026, 2, 6, 11);

const codes = Array.from({ length: 800 }, (_, index) => 200 + index);
const questions = Array.from({ length: 50_000 }, (_, index) => {
  const campaign = index % 3 === 0 ? { start: "09:00", end: "17:30" } : {};
  const number = `+1${codes[(index * 7) % codes.length]}${5_550_100 + (index % 100)}`;
  return question({ number, campaign, state: { recentAttempts: index % 5 === 0 ? [FROM - 3_600_000] : [] } });
});

function measure(msPerVerdict: number): { perSecond: number; allowed: number } {
  const rates: number[] = [];
  let allowed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const decide = createDecideCall(loadRules(callingRules));
    const before = process.cpuUsage();
    for (let index = 0; index < VERDICTS; index++) {
      const asked = questions[index % questions.length]!;
      asked.at = FROM + index * msPerVerdict;
      if (decide(asked).allowed) allowed++;
    }
    const { user, system } = process.cpuUsage(before);
    rates.push(VERDICTS / ((user + system) / 1_000_000));
  }
  return { perSecond: median(rates), allowed: allowed / (ROUNDS * VERDICTS) };
}

const line = (what: string, { perSecond, allowed }: ReturnType<typeof measure>) => ({
  what: `${what} (${(100 * allowed).toFixed(0)} % allowed)`,
  measured: `${Math.round(perSecond).toLocaleString("en-US")}/s`,
  ratio: perSecond / REACH,
  reach: `≥ ${REACH.toLocaleString("en-US")}/s`,
  reached: perSecond >= REACH,
});
report("verdict", [
  line("verdicts within 8 minutes, caches empty at first", measure(1)),
  line("verdicts spread over two days", measure(432)),
]);

import type { CallQuestion } from "../server/src/features/compliance/call-question.ts";
import { callingRules } from "../server/src/features/compliance/calling-rules.ts";
import { createDecideCall } from "../server/src/features/compliance/decide-call.ts";
import { loadRules } from "../server/src/features/compliance/rule-book.ts";
import { median, report } from "./report.ts";

/** How many leads can be judged in a second of one core, whatever else the machine is doing: numbers of every area code, in campaigns with hours of their own. */
const REACH = 200_000;
const VERDICTS = 400_000;
const ROUNDS = 5;
const FROM = Date.UTC(2026, 2, 6, 11);

const numbers = Array.from({ length: 50_000 }, (_, index) => {
  const areaCode = 200 + ((index * 7) % 800);
  return `+1${areaCode}${5_550_100 + (index % 100)}`;
});
const NONE: readonly number[] = [];
const ONE = [FROM - 3_600_000];

/** As the dialer asks: of one lead after the other, each in an object of its own. */
function ask(index: number, at: number): CallQuestion {
  const ownHours = index % 3 === 0;
  return {
    at,
    number: numbers[index % numbers.length]!,
    lead: { timezone: null, state: null, consented: true },
    campaign: {
      automated: true,
      start: ownHours ? "09:00" : null,
      end: ownHours ? "17:30" : null,
      days: null,
      requireConsent: false,
      attempts: 0,
      maxAttempts: 4,
    },
    state: {
      onDnc: false,
      optedOut: false,
      voiceSuspended: false,
      hasCallerId: true,
      canAfford: true,
      inFlight: false,
      inFlightUntil: null,
      retryAt: null,
      recentAttempts: index % 5 === 0 ? ONE : NONE,
      dailyCap: null,
    },
  };
}

function measure(msPerVerdict: number): { perSecond: number; allowed: number } {
  const rates: number[] = [];
  let allowed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const decide = createDecideCall(loadRules(callingRules));
    const before = process.cpuUsage();
    for (let index = 0; index < VERDICTS; index++) {
      if (decide(ask(index, FROM + index * msPerVerdict)).allowed) allowed++;
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

import { timestamp } from "../../database/database.ts";
import { priceOf } from "../../features/billing/index.ts";
import { type createDialer, markDialed, settleAttempt } from "../../features/dialing/index.ts";
import { recordOptOut } from "../../features/opt-outs/index.ts";
import type { Checker, Ending } from "../checker/checker.ts";
import type { Person } from "../people/make-people.ts";
import * as sql from "../simulation.sql.ts";
import type { World } from "../world.ts";
import { createHours } from "./hours.ts";
import { type ModelledCall, modelCall } from "./modelled-calls.ts";

type Placer = Parameters<typeof createDialer>[0]["placer"];
type EndOfAttempt = Parameters<typeof settleAttempt>[2];
type Claimed = Parameters<Placer["place"]>[0];

interface Ended {
  end: EndOfAttempt;
  attempt: Claimed;
  /** Of the call's record. */
  status: string;
}

/** How long it takes to know who answered. */
const TOLD_HUMAN_MS = 1_500;
const TOLD_MACHINE_MS = 4_000;
/** One sentence to who found no seat. */
const SORRY_MS = 3_000;
/** The database has more than one core: so many are stored by two transactions at the same time. */
const WORTH_TWO = 8;
/** Longer than any simulation: nobody takes these calls for a dead process's. */
const LEASE_MS = 400 * 86_400_000;

/** A call that has ended, as it is counted. */
export interface EndedCall {
  at: number;
  ending: Ending;
  answered: boolean;
  optedOut: boolean;
  costTokens: number;
}

export interface ModelledCarrier {
  placer: Placer;
  /** Begins the calls that were asked for since the last time. */
  dial(): Promise<void>;
  /** Stores what has happened on the clock since the last time: who answered, and which calls have ended. */
  store(): Promise<void>;
  /** Calls that haven't ended. */
  live(): number;
}

/**
 * The phone network and everybody in it. Calls run on the virtual clock; what the service would store of them is stored in batches.
 * The checker sees what is dialed and how it ends, and nothing else.
 * @param options `seats`: how many can be talked to at once; null: everybody who answers
 */
export function createModelledCarrier(
  world: World,
  options: {
    people: readonly Person[];
    seed: number;
    seats: number | null;
    checker: Checker;
    onDialed(at: number): void;
    onEnded(call: EndedCall): void;
  },
): ModelledCarrier {
  const { database, clock, newId, organizationId } = world;
  const { checker, seats } = options;
  const byNumber = new Map(options.people.map((person) => [person.phoneNumber, person]));
  const attempts = new Map<string, number>();
  const hourIn = createHours();
  const asked: Claimed[] = [];
  const answers: object[] = [];
  const ends: Ended[] = [];
  const settling = {
    ...{ clock, newId, deliveriesQueued() {}, campaignsChanged() {} },
    dialingMetrics: { attemptEnded() {} },
  };
  let live = 0;
  let talking = 0;

  function run(attempt: Claimed, call: ModelledCall, dialedAt: number): void {
    const ringsUntil = dialedAt + call.ringMs;
    live++;
    if (!call.answered) {
      clock.schedule(ringsUntil, () => end(attempt, ENDS[call.outcome], null, null, call.outcome));
      return;
    }
    if (call.by === "machine") {
      clock.schedule(ringsUntil + TOLD_MACHINE_MS, () => tell(attempt, "machine", ringsUntil));
      clock.schedule(ringsUntil + TOLD_MACHINE_MS + call.talkMs, () =>
        end(attempt, "voicemail", ringsUntil, null, "voicemail"),
      );
      return;
    }
    clock.schedule(ringsUntil + TOLD_HUMAN_MS, () => {
      tell(attempt, "human", ringsUntil);
      if (seats !== null && talking >= seats) {
        clock.schedule(clock.now() + SORRY_MS, () =>
          end(attempt, "abandoned", ringsUntil, null, "abandoned"),
        );
        return;
      }
      talking++;
      clock.schedule(ringsUntil + TOLD_HUMAN_MS + call.talkMs, () => {
        talking--;
        const callbackAt = call.wish === "later" ? clock.now() + call.laterMs : null;
        const outcome = call.wish === "never_again" ? "do_not_call" : "completed";
        end(attempt, "person", ringsUntil, callbackAt, outcome);
      });
    });
  }

  function tell(attempt: Claimed, by: "human" | "machine", answeredAt: number): void {
    answers.push({ id: attempt.id, answered_by: by, answered_at: timestamp(answeredAt) });
  }

  function end(
    attempt: Claimed,
    ending: Ending,
    answeredAt: number | null,
    callbackAt: number | null,
    outcome: string,
  ): void {
    const at = clock.now();
    const optedOut = outcome === "do_not_call";
    const seconds = answeredAt === null ? 0 : Math.ceil((at - answeredAt) / 1_000);
    const costTokens = priceOf({ seconds, ratePerMinute: world.ratePerMinute });
    const status = STATUSES[ending];
    live--;
    checker.ended(attempt.phoneNumber, at, ending, callbackAt);
    if (optedOut) checker.refused(attempt.phoneNumber, at);
    options.onEnded({ at, ending, answered: answeredAt !== null, optedOut, costTokens });
    ends.push({
      ...{ attempt, status },
      end: {
        ...{ organizationId, callId: attempt.id, status, outcome, optedOut, at, answeredAt, callbackAt },
        ...{ costTokens, refusedAs: null },
        answeredBy: answeredAt === null ? null : ending === "voicemail" ? "machine" : "human",
      },
    });
  }

  async function openCalls(claimed: readonly Claimed[], now: number): Promise<Claimed[]> {
    return database.transaction(async (transaction) => {
      const passed: Claimed[] = [];
      for (const attempt of claimed)
        if (await markDialed(settling, transaction, attempt)) passed.push(attempt);
      const rows = passed.map(({ id, leadId, phoneNumber }) => ({
        ...{ id, lead_id: leadId, to_number: phoneNumber },
      }));
      await transaction.query({
        ...sql.insertCalls,
        values: [
          ...[organizationId, world.campaignId, world.agentId, world.callerId, newId()],
          ...[timestamp(now + LEASE_MS), timestamp(now), JSON.stringify(rows)],
        ],
      });
      return passed;
    });
  }

  async function storeEnds(ended: readonly Ended[]): Promise<void> {
    const rows = ended.map(({ end: { callId, answeredAt, ...end }, status }) => ({
      ...{ id: callId, status, outcome: end.outcome, answered_by: end.answeredBy },
      ...{ answered_at: answeredAt === null ? null : timestamp(answeredAt) },
      ...{ ended_at: timestamp(end.at), cost_tokens: end.costTokens },
    }));
    await database.transaction(async (transaction) => {
      await transaction.query({ ...sql.endCalls, values: [organizationId, JSON.stringify(rows)] });
      for (const { end, attempt } of ended) {
        if (end.optedOut) {
          await recordOptOut(settling, transaction, {
            ...{ organizationId, phoneNumber: attempt.phoneNumber, leadId: attempt.leadId },
            ...{ source: "call", sourceId: attempt.id, evidence: "Never call me again." },
          });
        }
        await settleAttempt(settling, transaction, end);
      }
    });
  }

  return {
    placer: {
      async place(attempt) {
        asked.push(attempt);
        return null;
      },
    },
    async dial() {
      if (asked.length === 0) return;
      const now = clock.now();
      const dialed = await Promise.all(halves(asked.splice(0)).map((half) => openCalls(half, now)));
      for (const attempt of dialed.flat()) {
        const person = byNumber.get(attempt.phoneNumber)!;
        const number = attempts.get(attempt.phoneNumber) ?? 0;
        attempts.set(attempt.phoneNumber, number + 1);
        checker.dialed(attempt.phoneNumber, now);
        options.onDialed(now);
        const hour = hourIn(person.zone ?? "UTC", now);
        run(attempt, modelCall({ seed: options.seed, person, attempt: number, hour }), now);
      }
    },
    async store() {
      if (answers.length > 0) {
        const values = [organizationId, JSON.stringify(answers.splice(0))];
        await database.query({ ...sql.answerCalls, values });
      }
      if (ends.length > 0) await Promise.all(halves(ends.splice(0)).map(storeEnds));
    },
    live: () => live,
  };
}

function halves<T>(list: T[]): T[][] {
  if (list.length < WORTH_TWO) return [list];
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

type Unanswered = Extract<ModelledCall, { answered: false }>["outcome"];

const ENDS: Readonly<Record<Unanswered, Ending>> = {
  busy: "busy",
  no_answer: "no_answer",
  failed: "network_failure",
  congestion: "network_failure",
  invalid_number: "dead",
  blocked: "dead",
};

/** As a call's record has them. */
const STATUSES: Readonly<Record<Ending, string>> = {
  busy: "busy",
  no_answer: "no-answer",
  network_failure: "failed",
  dead: "failed",
  voicemail: "voicemail",
  person: "completed",
  abandoned: "completed",
};

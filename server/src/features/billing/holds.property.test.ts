import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  oneof,
  record,
} from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../clock.ts";
import { type Database, openDatabase } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { idsFrom } from "../../ids.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { createOrganization } from "../organizations/index.ts";
import { creditWallet } from "./credit-wallet.ts";
import { extendHold } from "./extend-hold.ts";
import { placeHold } from "./place-hold.ts";
import { priceOf } from "./price-of.ts";
import { readWallet } from "./read-wallet.ts";
import { settleHold } from "./settle-hold.ts";

const RATE = 90;

/** Each look at this clock is a millisecond later: what is written under a lock is ordered by its time and id. */
function tickingClock(): Clock {
  let now = Date.UTC(2026, 0, 5);
  return { now: () => ++now, schedule: () => () => {} };
}

/** What may happen to one of six calls. A call that never ends is one whose process died: its hold is left. */
const call = integer({ min: 0, max: 5 });
const start = record({ what: constantFrom("start" as const), call });
/** The process dies before the call's transaction commits. */
const diedStart = record({ what: constantFrom("died start" as const), call });
const extend = record({ what: constantFrom("extend" as const), call });
const end = record({
  what: constantFrom("end" as const),
  call,
  seconds: integer({ min: 0, max: 300 }),
  // Owner and recovery come to it with what each believes.
  by: constantFrom("owner", "recovery"),
});
/** The process dies before the end's transaction commits. */
const diedEnd = record({ what: constantFrom("died end" as const), call });
const move = record({
  what: constantFrom("move" as const),
  tokens: integer({ min: -400, max: 400 }).filter((tokens) => tokens !== 0),
});
const anyStep = oneof(
  { weight: 3, arbitrary: start },
  { weight: 1, arbitrary: diedStart },
  { weight: 4, arbitrary: extend },
  { weight: 4, arbitrary: end },
  { weight: 1, arbitrary: diedEnd },
  { weight: 2, arbitrary: move },
);
type Step = typeof anyStep extends Arbitrary<infer Value> ? Value : never;

/** Batches run one after the other, the steps of a batch at once. */
const batches = array(array(anyStep, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 10 });

class Died extends Error {}

describe("the money of calls, however they start, end and crash at once", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 10 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  it("loses and invents no token", async () => {
    const clock = tickingClock();
    const deps = { database, clock, newId: idsFrom(clock), deliveriesQueued() {} };
    const seen = { captured: 0, refused: 0, repeated: 0, open: 0, recovered: 0 };

    await assert(
      asyncProperty(batches, integer({ min: 0, max: 1200 }), async (steps, opening) => {
        const { id: organizationId } = await createOrganization(deps, {
          actor: "test",
          name: "Property",
          balanceTokens: opening,
          lowBalanceThreshold: 0,
        });
        // Ids of this run: a call that is started again after it was refused keeps its id, as no row was left of it.
        const calls = Array.from({ length: 6 }, () => deps.newId());
        /** What the settlements of each call said they charged. */
        const charged = new Map<string, Set<number>>();
        const firsts = new Map<string, number>();

        const settle = async (callId: string, seconds: number, by: string, dies = false) => {
          const settlement = await database.transaction(async (transaction) => {
            const settled = await settleHold(deps, transaction, {
              organizationId,
              callId,
              tokens: priceOf({ seconds, ratePerMinute: RATE }),
              note: null,
              actor: by,
            });
            if (dies) throw new Died();
            return settled;
          });
          charged.set(callId, (charged.get(callId) ?? new Set()).add(settlement.captured));
          if (settlement.first) firsts.set(callId, (firsts.get(callId) ?? 0) + 1);
          else seen.repeated++;
        };
        const run = async (step: Step): Promise<void> => {
          if (step.what === "move") {
            await creditWallet(deps, { organizationId, actor: "test", tokens: step.tokens });
            return;
          }
          const callId = calls[step.call]!;
          if (step.what === "start" || step.what === "died start") {
            await database.transaction(async (transaction) => {
              await placeHold(deps, transaction, { organizationId, callId, tokens: RATE });
              if (step.what === "died start") throw new Died();
            });
          } else if (step.what === "extend") {
            if (!(await extendHold(deps, { organizationId, callId, tokens: RATE }))) seen.refused++;
          } else if (step.what === "end") await settle(callId, step.seconds, step.by);
          else await settle(callId, 60, "owner", true);
        };
        const tolerated = (error: unknown) => {
          if (error instanceof Died) return;
          if (error instanceof DomainError && error.code === "insufficient_balance") {
            seen.refused++;
            return;
          }
          // A call that never started, and one that started already.
          if (error instanceof Error && /Nothing was held|call_holds_pkey/.test(error.message)) return;
          throw error;
        };

        for (const batch of steps) {
          await Promise.all(batch.map((step) => run(step).catch(tolerated)));
          await expectSound(organizationId);
        }

        // What the recovery finds: holds whose process died. Two of its rounds overlap.
        const left = await database.query<{ call_id: string }>({
          text: "SELECT call_id FROM call_holds WHERE organization_id = $1 AND state = 'held'",
          values: [organizationId],
        });
        seen.open += left.length;
        await Promise.all(
          [...left, ...left].map(({ call_id }) => settle(call_id, 60, "recovery").catch(tolerated)),
        );
        seen.recovered += left.length;
        await expectSound(organizationId);
        expect(await readWallet(deps, organizationId)).toMatchObject({ held: 0, holds: [] });

        const holds = await database.query<{ call_id: string; captured: number; entries: number }>({
          text: `SELECT call_id, captured,
                   (SELECT -coalesce(sum(amount), 0) FROM ledger_entries AS l WHERE l.organization_id = h.organization_id
                    AND account = 'wallet' AND idempotency_key = 'call:' || call_id) AS entries
                 FROM call_holds AS h WHERE organization_id = $1`,
          values: [organizationId],
        });
        for (const { call_id, captured, entries } of holds) {
          expect(entries).toBe(captured);
          expect(firsts.get(call_id)).toBe(1);
          expect([...charged.get(call_id)!]).toEqual([captured]);
          seen.captured += captured;
        }
        expect([...firsts.keys()].sort()).toEqual(holds.map(({ call_id }) => call_id).sort());
      }),
      { numRuns: 40 },
    );
    // The property has looked at something of each kind.
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(10);
  });

  /** What holds after every batch, whatever was in it. */
  async function expectSound(organizationId: string): Promise<void> {
    const [sound] = await database.query<Record<string, unknown>>({
      text: `
        SELECT balance >= held AND held >= 0 AS covered,
          balance = (SELECT coalesce(sum(amount), 0) FROM ledger_entries AS l
                     WHERE l.organization_id = w.organization_id AND account = 'wallet') AS adds_up,
          held = (SELECT coalesce(sum(held), 0) FROM call_holds AS h
                  WHERE h.organization_id = w.organization_id) AS holds_add_up,
          NOT EXISTS (SELECT FROM ledger_entries AS l WHERE l.organization_id = w.organization_id
                      GROUP BY transfer_id HAVING sum(amount) <> 0 OR count(*) <> 2) AS transfers_sum_to_zero
        FROM wallets AS w WHERE organization_id = $1`,
      values: [organizationId],
    });
    expect(sound).toEqual({
      covered: true,
      adds_up: true,
      holds_add_up: true,
      transfers_sum_to_zero: true,
    });
  }
});

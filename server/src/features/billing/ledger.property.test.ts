import { array, assert, asyncProperty, constantFrom, integer, oneof, option, record } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../clock.ts";
import { type Database, openDatabase } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { idsFrom } from "../../ids.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { createOrganization, updateOrganization } from "../organizations/index.ts";
import { creditWallet } from "./credit-wallet.ts";
import { readWallet } from "./read-wallet.ts";

/** Each look at this clock is a millisecond later: what is written under a lock is ordered by its time and id. */
function tickingClock(): Clock {
  let now = Date.UTC(2026, 0, 5);
  return { now: () => ++now, schedule: () => () => {} };
}

interface Entry {
  transfer_id: string;
  account: string;
  amount: number;
  balance_after: number | null;
  idempotency_key: string;
}

const move = record({
  kind: constantFrom("credit" as const),
  tokens: integer({ min: -300, max: 300 }).filter((tokens) => tokens !== 0),
  key: option(constantFrom("a", "b", "c"), { nil: null, freq: 2 }),
});
const threshold = record({
  kind: constantFrom("threshold" as const),
  threshold: integer({ min: 0, max: 300 }),
});
/** Batches run one after the other, the steps of a batch at once. */
const batches = array(
  array(oneof({ weight: 6, arbitrary: move }, { weight: 1, arbitrary: threshold }), {
    minLength: 1,
    maxLength: 8,
  }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

describe("the ledger, whatever is credited and debited at once", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 8 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const clock = tickingClock();
  const depsOf = () => ({
    database,
    clock,
    newId: idsFrom(clock),
    deliveriesQueued() {},
    keysChanged() {},
  });

  it("sums to zero, equals the balance, and reports each dip once", async () => {
    let moved = 0;
    let dips = 0;
    await assert(
      asyncProperty(batches, integer({ min: 0, max: 500 }), async (steps, opening) => {
        const deps = depsOf();
        const { id } = await createOrganization(deps, {
          actor: "test",
          name: "Property",
          balanceTokens: opening,
          lowBalanceThreshold: 100,
        });
        for (const batch of steps) {
          await Promise.all(
            batch.map((step) =>
              (step.kind === "credit"
                ? creditWallet(deps, {
                    organizationId: id,
                    actor: "test",
                    tokens: step.tokens,
                    idempotencyKey: step.key,
                  }).then(({ tokens }) => expect(tokens).toBe(step.tokens))
                : updateOrganization(deps, {
                    organizationId: id,
                    actor: "test",
                    changes: { low_balance_threshold: step.threshold },
                  })
              ).catch((error: unknown) => {
                if (!(error instanceof DomainError)) throw error;
                expect(["insufficient_balance", "conflict"]).toContain(error.code);
              }),
            ),
          );
        }
        const entries = await database.query<Entry>({
          text: "SELECT * FROM ledger_entries WHERE organization_id = $1 ORDER BY created_at, id",
          values: [id],
        });
        const sums = new Map<string, number>();
        for (const { transfer_id, amount } of entries)
          sums.set(transfer_id, (sums.get(transfer_id) ?? 0) + amount);
        expect([...sums.values()].every((sum) => sum === 0)).toBe(true);
        expect(entries).toHaveLength(2 * sums.size);

        const inWallet = entries.filter(({ account }) => account === "wallet");
        let balance = 0;
        for (const entry of inWallet) {
          balance += entry.amount;
          expect(balance).toBeGreaterThanOrEqual(0);
          expect(entry.balance_after).toBe(balance);
        }
        const wallet = await readWallet(deps, id);
        expect(wallet.balance).toBe(balance);
        expect(new Set(inWallet.map((entry) => entry.idempotency_key)).size).toBe(inWallet.length);

        const [{ armed } = { armed: null }] = await database.query<{ armed: boolean }>({
          text: "SELECT low_balance_armed AS armed FROM wallets WHERE organization_id = $1",
          values: [id],
        });
        expect(armed).toBe(wallet.balance > wallet.threshold);
        dips += await expectOneEventPerDip(id, opening);
        moved += inWallet.length;
      }),
      { numRuns: 30 },
    );
    // The property has looked at something.
    expect(moved).toBeGreaterThan(100);
    expect(dips).toBeGreaterThan(10);
  });

  /** Walks balances and thresholds in the order they took effect, and compares with the events. */
  async function expectOneEventPerDip(id: string, opening: number): Promise<number> {
    const history = await database.query<{ balance: number | null; threshold: number | null }>({
      text: `SELECT balance_after AS balance, NULL AS threshold, created_at FROM ledger_entries
             WHERE organization_id = $1 AND account = 'wallet'
             UNION ALL
             SELECT NULL, (details #>> '{changes,low_balance_threshold,to}')::bigint, created_at FROM audit_log
             WHERE organization_id = $1 AND action = 'organization.updated'
             ORDER BY created_at`,
      values: [id],
    });
    const expected: { current_balance: number; threshold: number }[] = [];
    const now = { balance: opening, threshold: 100 };
    let above = opening > 100;
    for (const { balance, threshold: next } of history) {
      if (balance !== null) now.balance = balance;
      if (next !== null) now.threshold = next;
      const isAbove = now.balance > now.threshold;
      if (above && !isAbove) expected.push({ current_balance: now.balance, threshold: now.threshold });
      above = isAbove;
    }
    const events = await database.query<{ data: object }>({
      text: "SELECT data FROM events WHERE organization_id = $1 AND type = 'billing.low_balance' ORDER BY id",
      values: [id],
    });
    expect(events.map(({ data }) => data)).toMatchObject(expected);
    return expected.length;
  }
});

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import { claimLeads } from "./claim-leads.ts";
import type { ClaimedAttempt } from "./claimed-attempt.ts";
import { completeCampaign } from "./complete-campaign.ts";
import { dropClaim, dropLostClaims } from "./drop-claims.ts";
import { markDialed } from "./mark-dialed.ts";
import { settleAttempt } from "./settle-attempt.ts";

/** Dialers that claim, dial, are stopped, are late and die in any order, over a database. */

let dialing: DialingHarness;
beforeAll(async () => {
  dialing = await startDialingHarness({ dials: false });
});
afterAll(() => dialing.close());

const DAY_MS = 86_400_000;
const LEADS = 5;
const MOST_ATTEMPTS = 3;
const LINES = 3;
const WORKERS = ["1", "2", "3"].map((nth) => `00000000-0000-7000-8000-00000000000${nth}`);
const ENDS = ["person", "busy", "no_answer", "failed", "blocked", "opted_out", "machine"] as const;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      worker: fc.nat(2),
      most: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("dial" as const), which: fc.nat(20) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      which: fc.nat(20),
      as: fc.constantFrom(...ENDS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), which: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(0.6, 6, 130) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const, "recover" as const) }),
  },
);

const endOf = (as: (typeof ENDS)[number]) => ({
  status: as === "machine" ? "voicemail" : "completed",
  outcome: as,
  answered: as === "person" || as === "opted_out" || as === "machine",
  answeredBy: as === "machine" ? "machine" : as === "person" || as === "opted_out" ? "human" : null,
  optedOut: as === "opted_out",
});

/** One campaign, what its dialers hold, and what has really been dialed. */
function world(campaign: TestCampaign) {
  const { organizationId, campaignId } = campaign;
  const claimed: ClaimedAttempt[] = [];
  const live = new Map<string, ClaimedAttempt>();
  const dialed = new Map<string, number>();
  const over = new Set<string>();
  let active = true;
  const within = dialing.app.database;

  const end = async (attempt: ClaimedAttempt, as: (typeof ENDS)[number]) => {
    live.delete(attempt.leadId);
    const { answered, ...how } = endOf(as);
    if (!["busy", "no_answer", "failed", "machine"].includes(as)) over.add(attempt.leadId);
    const at = dialing.clock.now();
    await within.transaction((transaction) =>
      settleAttempt(dialing.claims, transaction, {
        ...{ organizationId, callId: attempt.id, ...how, at, answeredAt: answered ? at : null },
        ...{ callbackAt: null, costTokens: 0, refusedAs: null },
      }),
    );
  };

  return {
    live,
    dialed,
    end,
    async take(todo: typeof step extends fc.Arbitrary<infer Step> ? Step : never) {
      switch (todo.do) {
        case "claim": {
          const claim = { organizationId, campaignId, workerId: WORKERS[todo.worker]!, most: todo.most };
          const { attempts } = await claimLeads(dialing.claims, claim);
          expect(attempts.length).toBeLessThanOrEqual(todo.most);
          if (!active) expect(attempts).toEqual([]);
          claimed.push(...attempts);
          break;
        }
        case "dial": {
          // However late: whoever has claimed it may try at any time, and twice.
          const attempt = claimed[todo.which % Math.max(1, claimed.length)];
          if (!attempt) break;
          const may = await within.transaction((transaction) =>
            markDialed(dialing.claims, transaction, attempt),
          );
          if (!may) break;
          expect(active).toBe(true);
          expect(live.has(attempt.leadId)).toBe(false);
          expect(over.has(attempt.leadId)).toBe(false);
          live.set(attempt.leadId, attempt);
          const count = (dialed.get(attempt.leadId) ?? 0) + 1;
          expect(count).toBeLessThanOrEqual(MOST_ATTEMPTS);
          dialed.set(attempt.leadId, count);
          expect(live.size).toBeLessThanOrEqual(LINES);
          break;
        }
        case "end": {
          const attempt = [...live.values()][todo.which % Math.max(1, live.size)];
          if (attempt) await end(attempt, todo.as);
          break;
        }
        case "drop": {
          const attempt = claimed[todo.which % Math.max(1, claimed.length)];
          if (attempt) await dropClaim(dialing.claims, attempt, "stopped");
          break;
        }
        case "wait":
          dialing.clock.advance(todo.minutes * 60_000);
          break;
        case "recover":
          await dropLostClaims(dialing.claims);
          break;
        case "pause":
        case "resume":
          // Refused where it is that already, or completed.
          active = (await steer(todo.do)) ?? active;
      }
      await completeCampaign(dialing.claims, { organizationId, campaignId });
      const { status } = await campaign.campaign();
      if (status === "completed") {
        active = false;
        expect(live.size).toBe(0);
      }
    },
    over,
  };

  async function steer(trigger: string): Promise<boolean | null> {
    await campaign.steer(trigger).catch(() => {});
    return (await campaign.campaign()).status === "active";
  }
}

it("nobody is dialed twice at once, after they are done, too often, or during a stop; and nobody is forgotten", async () => {
  let subscriber = 2_000;
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 45 }), async (steps) => {
      // The next day, 11:00 in New York.
      dialing.clock.moveTo((Math.floor(dialing.clock.now() / DAY_MS) + 1) * DAY_MS + 15 * 3_600_000);
      const campaign = await dialing.newCampaign({
        fields: { concurrency: LINES, max_attempts: MOST_ATTEMPTS },
      });
      const leads: string[] = [];
      for (let lead = 0; lead < LEADS; lead++) leads.push(await campaign.addLead(`+1212555${subscriber++}`));
      const run = world(campaign);
      for (const todo of steps) await run.take(todo);
      made += run.dialed.size;

      // Everything that runs ends; what was claimed is lost; then whoever isn't done can be claimed again.
      for (const attempt of [...run.live.values()]) await run.end(attempt, "busy");
      dialing.clock.advance(60_000);
      await dropLostClaims(dialing.claims);
      for (const id of leads) {
        const { state, attempts } = await campaign.entry(id);
        const isOver = run.over.has(id) || Number(attempts) >= MOST_ATTEMPTS;
        if (isOver) expect(state).toBe("done");
        else if (state !== "done") expect(state).toBe("waiting");
      }
    }),
    { numRuns: 12 },
  );
  // Chance may make few of them possible; none would prove nothing.
  expect(made).toBeGreaterThan(3);
}, 120_000);

import type { RoundResult } from "../../workers/worker.ts";
import * as sql from "./attempts.sql.ts";
import { claimLeads } from "./claim-leads.ts";
import type { ClaimedAttempt } from "./claimed-attempt.ts";
import { completeCampaign } from "./complete-campaign.ts";
import type { ClaimDeps } from "./dialing-deps.ts";
import { dropClaim, dropLostClaims } from "./drop-claims.ts";
import { pauseDry } from "./pause-dry.ts";
import type { Placer } from "./placer.ts";

export interface DialerDeps extends ClaimDeps {
  placer: Placer;
  /** Names this dialer as the owner of its claims. */
  workerId: string;
  onError(what: string, error: unknown, fields: Readonly<Record<string, string>>): void;
}

export interface Dialer {
  /** One look at every active campaign: claims what there are lines for, and begins to place it. */
  round(): Promise<RoundResult>;
  /** Resolves when what was claimed has been placed, or dropped. */
  settled(): Promise<void>;
  /** Dials nothing from now on: drops what is claimed and resolves when that is done. */
  stop(): Promise<void>;
}

/** Starts of an organization's calls come one after the other anyway; the rest of the service needs its database too. */
const MOST_PLACED_AT_ONCE = 4;
/** Claims that wait for their turn: no more than are placed in some seconds, long before their lease runs out. */
const MOST_QUEUED = 64;
const QUEUED_MS = 8_000;
const QUEUE_LOOK_MS = 100;

interface Active {
  organization_id: string;
  id: string;
  next_at: number | null;
  /** Its organization has nothing left to pay a call with. */
  dry: boolean;
}

/** Dials for all active campaigns of the database, beside other dialers. Owns no timer: the worker that calls `round` does. */
export function createDialer(deps: DialerDeps): Dialer {
  const queue: ClaimedAttempt[] = [];
  const placing = new Set<Promise<void>>();
  /** By organization: claims that wait, or are being placed. */
  const unplaced = new Map<string, number>();
  let stopped = false;
  let rounds = 0;
  /** How long placing one takes, of late. */
  let placingMs = 0;

  const mostQueued = () =>
    Math.min(
      MOST_QUEUED,
      Math.max(1, Math.floor((MOST_PLACED_AT_ONCE * QUEUED_MS) / Math.max(1, placingMs))),
    );

  const count = ({ organizationId }: ClaimedAttempt, change: 1 | -1) => {
    const left = (unplaced.get(organizationId) ?? 0) + change;
    if (left === 0) unplaced.delete(organizationId);
    else unplaced.set(organizationId, left);
  };

  const placeNext = () => {
    while (placing.size < MOST_PLACED_AT_ONCE) {
      const attempt = queue.shift();
      if (!attempt) return;
      const work = place(attempt).finally(() => {
        placing.delete(work);
        count(attempt, -1);
        placeNext();
      });
      placing.add(work);
    }
  };

  const place = async (attempt: ClaimedAttempt) => {
    const { organizationId, campaignId, id } = attempt;
    try {
      const begun = deps.clock.now();
      // Also one that is being placed right now isn't dialed any more.
      const isAllowedAt = (at: number) => !stopped && attempt.isAllowedAt(at);
      const refusal = stopped ? "stopped" : await deps.placer.place({ ...attempt, isAllowedAt });
      placingMs += (deps.clock.now() - begun - placingMs) / MOST_PLACED_AT_ONCE;
      if (refusal === null) return;
      await dropClaim(deps, attempt, refusal);
    } catch (error) {
      // Its lease runs out: then somebody drops it, if it wasn't dialed.
      const fields = { organization_id: organizationId, campaign_id: campaignId, call_id: id };
      deps.onError("an attempt couldn't be placed", error, fields);
    }
  };

  /** @returns when there is something to do again; null: once a line comes free, or a lead is added */
  const lookAt = async ({ organization_id, id, next_at, dry }: Active): Promise<number | null> => {
    const campaign = { organizationId: organization_id, campaignId: id };
    if (next_at === null || next_at > deps.clock.now()) {
      if (!(await completeCampaign(deps, campaign)) && next_at !== null && dry)
        await pauseDry(deps, campaign);
      return next_at;
    }
    const room = mostQueued() - queue.length;
    if (room <= 0) return deps.clock.now() + QUEUE_LOOK_MS;
    const free = (await deps.placer.freeLines?.(organization_id)) ?? Number.POSITIVE_INFINITY;
    const most = Math.min(room, free - (unplaced.get(organization_id) ?? 0));
    // A call that ends has them looked at again.
    if (most <= 0) return null;
    const claim = await claimLeads(deps, { ...campaign, workerId: deps.workerId, most });
    for (const attempt of claim.attempts) {
      queue.push(attempt);
      count(attempt, 1);
    }
    placeNext();
    if (claim.again) return deps.clock.now();
    if (claim.attempts.length === room) return deps.clock.now() + QUEUE_LOOK_MS;
    if (claim.nextAt !== null) return claim.nextAt;
    const [next] = await deps.database.query<{ next_at: number }>({
      ...sql.readNextDue,
      values: [organization_id, id],
    });
    const nextDue = next?.next_at ?? null;
    if (nextDue !== null && nextDue <= deps.clock.now()) return null;
    if (claim.attempts.length === 0) await completeCampaign(deps, campaign);
    return nextDue;
  };

  const settled = async () => {
    while (placing.size > 0) await Promise.all(placing);
  };

  return {
    async round() {
      await dropLostClaims(deps);
      const active = await deps.database.query<Active>(sql.findActive);
      let nextAt = Number.POSITIVE_INFINITY;
      // Each time another one is the first to fill the queue.
      const first = rounds++ % Math.max(1, active.length);
      for (const campaign of [...active.slice(first), ...active.slice(0, first)]) {
        if (stopped) break;
        try {
          nextAt = Math.min(nextAt, (await lookAt(campaign)) ?? Number.POSITIVE_INFINITY);
        } catch (error) {
          const fields = { organization_id: campaign.organization_id, campaign_id: campaign.id };
          deps.onError("a look at a campaign failed", error, fields);
        }
      }
      return nextAt <= deps.clock.now() ? { again: true } : { nextAt };
    },
    settled,
    stop() {
      stopped = true;
      return settled();
    },
  };
}

import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { startWorker } from "../../workers/worker.ts";
import { failAbandonedImports } from "../leads/index.ts";
import type { ActivityTracker } from "./activity.ts";
import { purgeIdleSandboxes } from "./purge-sandboxes.ts";
import { removeAged } from "./remove-aged.ts";
import { agedRules, forgottenAnswers } from "./retention-rules.sql.ts";

export interface JanitorDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  /** No other process works on this database: what runs when this one starts was left by one that died. */
  alone?: boolean;
  /** Asked to write what it has before anything is found idle. */
  activity: Pick<ActivityTracker, "flush">;
  /** Rows that one statement looks at; default 500. */
  batchSize?: number;
}

export interface Janitor {
  /** Resolves when the first round has ended, or after `limitMs` of real time when it is a long one. */
  headStart(limitMs: number): Promise<void>;
  /** Resolves once the statement that is running has ended. */
  stop(): Promise<void>;
}

const ROUND_MS = 3_600_000;
const RETRY_MS = 60_000;

/** Ends what dead processes left and removes what is past its time: at once, then every hour. Several at once, in one process or many, are safe. */
export function startJanitor(deps: JanitorDeps): Janitor {
  const { clock, logger } = deps;
  const leftBefore = deps.alone ? clock.now() : undefined;
  let firstRoundEnded = () => {};
  const firstRound = new Promise<void>((resolve) => {
    firstRoundEnded = resolve;
  });
  const worker = startWorker({
    clock,
    intervalMs: ROUND_MS,
    onError: (error) => logger.error({ err: error }, "the janitor's round failed"),
    async round(signal) {
      try {
        const failed = await cleanUp(deps, signal, leftBefore);
        return failed ? { nextAt: clock.now() + RETRY_MS } : {};
      } finally {
        firstRoundEnded();
      }
    },
  });
  return {
    async headStart(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([firstRound, limit]);
      clearTimeout(timer);
    },
    stop: () => worker.stop(),
  };
}

/** One round. A part that fails doesn't keep the others from their work. @returns whether one did */
async function cleanUp(
  deps: JanitorDeps,
  signal: AbortSignal,
  leftBefore: number | undefined,
): Promise<boolean> {
  const pass = { ...deps, signal, batchSize: deps.batchSize ?? 500 };
  const parts: [what: string, remove: () => Promise<number>][] = [
    // First: a use that comes while the rest is being removed must not decide whether a sandbox was idle before it.
    [
      "idle_sandboxes",
      async () => {
        await deps.activity.flush();
        return purgeIdleSandboxes(pass);
      },
    ],
    ...[forgottenAnswers, ...agedRules].map((rule): [string, () => Promise<number>] => [
      rule.what,
      () => removeAged(pass, rule),
    ]),
  ];
  const removed: Record<string, number> = {};
  let failed = false;
  try {
    const imports = await failAbandonedImports(deps, leftBefore);
    if (imports > 0) deps.logger.warn({ imports }, "imports whose process died are failed");
  } catch (error) {
    failed = true;
    deps.logger.error({ err: error }, "the janitor could not end the imports of dead processes");
  }
  for (const [what, remove] of parts) {
    try {
      const count = await remove();
      if (count > 0) removed[what] = count;
    } catch (error) {
      if (signal.aborted) throw error;
      failed = true;
      deps.logger.error({ err: error, what }, "the janitor could not remove what is past its time");
    }
  }
  if (Object.keys(removed).length > 0) deps.logger.info({ removed }, "removed what is past its time");
  return failed;
}

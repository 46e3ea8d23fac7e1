import type { Clock } from "../../../clock.ts";
import type { Database } from "../../../database/database.ts";
import { type DeliveryResult, type RecordedBatch, recordResults } from "./record-results.ts";

/** Records results in batches, in the order they came, one batch after the other. */
export interface Recorder {
  add(result: DeliveryResult): void;
  /** Resolves when all is recorded, or after `timeoutMs` of real time with how many results are not. */
  drain(timeoutMs: number): Promise<number>;
}

const LARGEST_BATCH = 500;
/** How long results are gathered before they are recorded: of a hundred each costs a third more than of 250. */
const GATHER_MS = 20;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** Errors of the data itself, by SQLSTATE class: one bad row would fail its batch for ever. */
const DATA_ERROR = /^(22|23)/;

/**
 * While the database is away results are kept and tried again: a delivery that was answered is not sent a second time
 * unless its lease is lost to another process meanwhile, and then its result finds nothing to record.
 */
export function createRecorder(deps: {
  database: Database;
  clock: Clock;
  /** Called after each commit, also with results whose lease was lost. */
  onRecorded(results: readonly DeliveryResult[], batch: RecordedBatch): void;
  onError(error: unknown): void;
}): Recorder {
  let waiting: DeliveryResult[] = [];
  let unrecorded = 0;
  let running = false;
  let givenUp = false;
  let wakeUp = () => {};
  const idle = new Set<() => void>();

  /** True when they are dealt with; false when drained before that. */
  const record = async (results: readonly DeliveryResult[]): Promise<boolean> => {
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const batch = await recordResults(deps, results, deps.clock.now());
        deps.onRecorded(results, batch);
        return true;
      } catch (error) {
        deps.onError(error);
        if (givenUp) return false;
        if (!DATA_ERROR.test(String((error as { code?: unknown }).code ?? ""))) {
          await pause(pauseMs);
          continue;
        }
        // One by one, so that the bad one alone is left to its lease.
        if (results.length > 1) for (const result of results) await record([result]);
        else deps.onRecorded(results, { disabled: [] });
        return true;
      }
    }
  };
  /** Real time, not the service's clock: it is about sparing a database that is away. */
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async () => {
    while (waiting.length > 0 && !givenUp) {
      if (waiting.length < LARGEST_BATCH / 2) await pause(GATHER_MS);
      const batch = waiting.slice(0, LARGEST_BATCH);
      waiting = waiting.slice(LARGEST_BATCH);
      if (await record(batch)) unrecorded -= batch.length;
    }
    running = false;
    for (const resolve of idle) resolve();
    idle.clear();
  };

  return {
    add(result) {
      waiting.push(result);
      unrecorded += 1;
      if (running) return;
      running = true;
      void run();
    },
    async drain(timeoutMs) {
      if (!running) return unrecorded;
      await new Promise<void>((resolve) => {
        idle.add(resolve);
        const timer = setTimeout(() => {
          givenUp = true;
          wakeUp();
        }, timeoutMs);
        idle.add(() => clearTimeout(timer));
      });
      return unrecorded;
    },
  };
}

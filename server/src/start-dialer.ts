import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type ConnectionOptions, openDatabase } from "./database/database.ts";
import type { CallsDeps } from "./features/calls/index.ts";
import { callingRules, createDecideCall, loadRules } from "./features/compliance/index.ts";
import {
  createCallPlacer,
  createDialer,
  type DialingDeps,
  dialerSettings,
} from "./features/dialing/index.ts";
import { startWorker } from "./workers/worker.ts";

/** One claims, one drops, and one looks beside them. */
const CONNECTIONS = 3;
/** Who isn't told of something finds it so late. */
const LOOK_EVERY_MS = 2_000;

/** Dials for the active campaigns until it is stopped. Takes the calls of this process to place them with. */
export function startDialer(
  deps: CallsDeps & DialingDeps & { logger: Logger },
  connection: ConnectionOptions,
): { wake(): void; stop(): Promise<void> } {
  const { clock, logger } = deps;
  const database = openDatabase({
    connection,
    poolSize: CONNECTIONS,
    settings: dialerSettings,
    onError: (error) => logger.error({ err: error }, "idle database connection of the dialer failed"),
  });
  const dialer = createDialer({
    ...deps,
    database,
    decideCall: createDecideCall(loadRules(callingRules)),
    placer: createCallPlacer(deps),
    workerId: randomUUID(),
    onError: (what, error, fields) => logger.error({ err: error, ...fields }, what),
  });
  const worker = startWorker({
    clock,
    intervalMs: LOOK_EVERY_MS,
    round: () => dialer.round(),
    onError: (error) => logger.error({ err: error }, "a round of the dialer failed"),
  });
  return {
    wake: worker.wake,
    async stop() {
      // First what is claimed: a round that runs still may take a while.
      await Promise.all([dialer.stop(), worker.stop()]);
      await dialer.stop();
      await database.close();
    },
  };
}

import { randomInt } from "node:crypto";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { MIGRATIONS } from "../service.ts";
import { type Simulation, type SimulationResult, simulate } from "../simulation/simulate.ts";
import { openTemporaryDatabase } from "../simulation/temporary-database.ts";
import { explainStartError } from "./explain-start-error.ts";
import { listenForStop } from "./stop-signals.ts";

/** A refusal, in words for who asked. */
class SimulationRefused extends Error {
  override readonly name = "SimulationRefused";
}

type Given = Partial<Simulation> & Pick<Simulation, "leads" | "days" | "mode">;
type Day = SimulationResult["total"];

const MOST_SEED = 2 ** 31;
const LEADS_PER_SEAT = 1_000;
const FEWEST_SEATS = 5;
const POOL_SIZE = 4;

/**
 * Runs the dialer against made-up people on a database of its own, which is gone afterwards.
 * @param given without a seed one is drawn; without a start it is today; without seats there is one for 1,000 leads
 * @returns what was simulated, with everything drawn or chosen for it, and what came of it
 * @throws ConfigError with every mistake of the environment; SimulationRefused when no database can be had, or after SIGTERM or
 *   Ctrl-C, which remove the database too
 */
export async function simulateDialing(
  environment: NodeJS.ProcessEnv,
  given: Given,
  onDay: (day: Day) => void,
): Promise<Simulation & SimulationResult> {
  const config = readConfig(environment);
  const today = new Date(systemClock(config.clockStart ?? undefined).now()).toISOString().slice(0, 10);
  const simulation: Simulation = {
    ...given,
    seed: given.seed ?? randomInt(MOST_SEED),
    seats: given.seats ?? Math.max(FEWEST_SEATS, Math.ceil(given.leads / LEADS_PER_SEAT)),
    dialers: given.dialers ?? 1,
    start: given.start ?? today,
  };
  const stop = listenForStop(() => process.exit(1));
  const stopped = new AbortController();
  stop.first.then(() => stopped.abort());
  try {
    const { database, remove } = await openTemporaryDatabase({
      ...{ databaseUrl: config.databaseUrl, migrations: MIGRATIONS, poolSize: POOL_SIZE },
      signal: stopped.signal,
    }).catch((error: unknown) => {
      const explained = explainStartError(error, config);
      throw explained === null ? error : new SimulationRefused(explained, { cause: error });
    });
    try {
      return {
        ...simulation,
        ...(await simulate({ database, signal: stopped.signal }, simulation, onDay)),
      };
    } finally {
      await remove();
    }
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    throw new SimulationRefused("The simulation was stopped, and its database removed.", { cause: error });
  } finally {
    stop.release();
  }
}

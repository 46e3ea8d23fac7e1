import { setTimeout as delay } from "node:timers/promises";

/** Real time, in milliseconds: some 15 s, as long as a database takes to fail over. */
const RETRIES_MS = [200, 300, 500, ...Array<number>(14).fill(1_000)];
/** SQLSTATE classes of what is wrong with the statement or its values: it would be wrong again. */
const WRONG_ITSELF = /^(22|23|42)/;

/** What was to be stored isn't possible any more: the database is there, and says so. */
export class CallNotLive extends Error {
  override readonly name = "CallNotLive";
}

/**
 * One call's way through a time without the database: what it has to store is tried again, so that nobody who is talking is hung
 * up on for it. Once something was given up, what follows is tried once each, until the database is back: the end of a call isn't
 * held up by all that was said.
 * @returns runs `store` until it succeeds; `again` tells whether it is a repetition, as the one before may have been stored
 */
export function outliveOutages(
  logger: { warn(fields: object, message: string): void },
  callId: string,
  retriesMs: readonly number[] = RETRIES_MS,
): <Result>(store: (again: boolean) => Promise<Result>) => Promise<Result> {
  let away = false;
  return async (store) => {
    const waits = away ? [] : retriesMs;
    for (let tries = 0; ; tries++) {
      try {
        const result = await store(tries > 0);
        away = false;
        return result;
      } catch (error) {
        if (error instanceof CallNotLive || isWrongItself(error)) throw error;
        const wait = waits[tries];
        if (wait === undefined) {
          away = true;
          throw error;
        }
        if (tries === 0)
          logger.warn(
            { err: error, call_id: callId },
            "the database is away: a call goes on without it for a while",
          );
        await delay(wait);
      }
    }
  };
}

function isWrongItself(error: unknown): boolean {
  return WRONG_ITSELF.test(String((error as { code?: unknown } | null)?.code ?? ""));
}

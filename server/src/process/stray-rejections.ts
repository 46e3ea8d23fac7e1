import type { Logger } from "pino";

/**
 * Logs each rejection that nobody waits for, instead of ending the process with every call in it: what it was part of has failed,
 * and whoever owns that has a time limit of its own. An error that is thrown outside of any promise still ends the process, since then
 * nothing is known of its state; calls and deliveries are recovered by their leases.
 * @returns lets go of it again
 */
export function logStrayRejections(logger: Pick<Logger, "error">): () => void {
  const log = (reason: unknown) => {
    const err = reason instanceof Error ? reason : new Error(`rejected with ${typeof reason}`);
    logger.error({ err }, "a failure that nobody waited for");
  };
  process.on("unhandledRejection", log);
  return () => process.off("unhandledRejection", log);
}

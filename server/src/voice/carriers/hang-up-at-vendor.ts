import type { Clock } from "../../clock.ts";

const MOST_TRIES = 5;
const AGAIN_MS = 1_000;

/**
 * Ends a call at a vendor that may not answer at once: five tries, each pause twice as long as the one before, from a second on. Never
 * rejects: what came of the last one is logged.
 * @param hangUp resolves also when there the call is over already
 */
export async function hangUpAtVendor(
  deps: { clock: Clock; logger: { error(fields: object, message: string): void } },
  vendor: string,
  callSid: string,
  hangUp: () => Promise<void>,
): Promise<void> {
  const { clock, logger } = deps;
  for (let tries = 1; ; tries++) {
    try {
      return await hangUp();
    } catch (error) {
      if (tries === MOST_TRIES) {
        logger.error({ call_sid: callSid, err: error }, `a call couldn't be hung up at ${vendor}`);
        return;
      }
    }
    const pauseMs = AGAIN_MS * 2 ** (tries - 1);
    await new Promise<void>((resolve) => clock.schedule(clock.now() + pauseMs, resolve));
  }
}

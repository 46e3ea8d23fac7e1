import type { ClaimedAttempt } from "./claimed-attempt.ts";

/** Places calls: through features/calls in a service, through a modelled carrier in a simulation. */
export interface Placer {
  /**
   * Starts the call of a claimed attempt: opens it in a transaction that `markDialed` lets pass, and asks the carrier. Resolves once
   * the carrier was asked; the call's end settles the attempt (`settleAttempt`).
   * @returns null, or why it wasn't dialed: the code of a refusal. What wasn't dialed is dropped by the dialer.
   */
  place(attempt: ClaimedAttempt): Promise<string | null>;
  /** How many more calls of the organization can be placed here now, as far as is known. Left out: as many as come. */
  freeLines?(organizationId: string): Promise<number>;
}

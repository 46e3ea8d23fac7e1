/** A lead that is to be dialed by whoever claimed it, and by nobody else. */
export interface ClaimedAttempt {
  organizationId: string;
  campaignId: string;
  /** The attempt's id, and its call's. */
  id: string;
  leadId: string;
  phoneNumber: string;
  agentId: string;
  workerId: string;
  /** Whether the verdict still allows it then: the hours may have ended since the claim. Milliseconds since the epoch. */
  isAllowedAt(at: number): boolean;
}

/** How long a claimed lead is left to the one who claimed it. */
export const CLAIM_LEASE_MS = 30_000;

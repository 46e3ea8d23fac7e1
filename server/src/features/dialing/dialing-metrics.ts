/** What the dialer tells of itself to whoever counts. */
export interface DialingMetrics {
  /** An attempt is settled, or was dropped before anything was dialed. */
  attemptEnded(outcome: string): void;
}

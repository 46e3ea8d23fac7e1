export interface RateLimitDecision {
  allowed: boolean;
  /** Whole tokens left after this request. */
  remaining: number;
  /** Seconds until the next token, rounded up; 0 when allowed. */
  retryAfterSeconds: number;
}

/**
 * A token bucket per subject: `perMinute` tokens a minute, refilled continuously, and a burst of as many. The seam has
 * two implementations, in memory and in Redis, and one contract suite that both pass.
 */
export interface RateLimiter {
  take(subject: string, perMinute: number): Promise<RateLimitDecision> | RateLimitDecision;
  close(): Promise<void>;
}

import type { Clock } from "../../clock.ts";
import type { RateLimiter } from "./rate-limiter.ts";

interface Bucket {
  tokens: number;
  at: number;
  perMinute: number;
}

/** Buckets beyond this many are swept; a full bucket is the same as none. */
const SWEEP_AT = 50_000;

export function memoryRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();

  const refill = (bucket: Bucket, now: number, perMinute: number) => {
    // A clock that was set back must not take tokens away.
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(perMinute, bucket.tokens + (elapsed * perMinute) / 60_000);
    bucket.at = now;
    bucket.perMinute = perMinute;
  };

  const sweep = (now: number) => {
    for (const [subject, bucket] of buckets) {
      refill(bucket, now, bucket.perMinute);
      if (bucket.tokens >= bucket.perMinute) buckets.delete(subject);
    }
  };

  return {
    take(subject, perMinute) {
      const now = clock.now();
      let bucket = buckets.get(subject);
      if (!bucket) {
        if (buckets.size >= SWEEP_AT) sweep(now);
        bucket = { tokens: perMinute, at: now, perMinute };
        buckets.set(subject, bucket);
      }
      refill(bucket, now, perMinute);
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return { allowed: true, remaining: Math.floor(bucket.tokens), retryAfterSeconds: 0 };
      }
      const wait = ((1 - bucket.tokens) * 60) / perMinute;
      return { allowed: false, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil(wait)) };
    },
    async close() {
      buckets.clear();
    },
  };
}

export { memoryRateLimiter } from "./memory-rate-limiter.ts";
export type { RateLimitDecision, RateLimiter } from "./rate-limiter.ts";

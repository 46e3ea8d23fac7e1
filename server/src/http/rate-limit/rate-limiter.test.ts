import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../clock.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { hasRedis, type RedisServer, startRedis } from "../../testing/redis-server.ts";
import { memoryRateLimiter, type RateLimiter } from "./index.ts";
import { redisRateLimiter } from "./redis-rate-limiter.ts";

function contract(name: string, make: (clock: Clock) => RateLimiter) {
  describe(`${name} keeps the contract`, () => {
    const clock = manualClock();
    const limiters: RateLimiter[] = [];
    const newLimiter = () => {
      const limiter = make(clock);
      limiters.push(limiter);
      return limiter;
    };
    afterEach(() => Promise.all(limiters.splice(0).map((limiter) => limiter.close())));

    it("allows a burst of the whole limit, then refuses and says how long to wait", async () => {
      const limiter = newLimiter();
      for (let left = 59; left >= 0; left--) {
        expect(await limiter.take("burst", 60)).toEqual({
          allowed: true,
          remaining: left,
          retryAfterSeconds: 0,
        });
      }
      expect(await limiter.take("burst", 60)).toEqual({ allowed: false, remaining: 0, retryAfterSeconds: 1 });
    });

    it("refills continuously, not by the minute", async () => {
      const limiter = newLimiter();
      for (let i = 0; i < 60; i++) await limiter.take("refill", 60);
      clock.advance(999);
      expect((await limiter.take("refill", 60)).allowed).toBe(false);
      clock.advance(1);
      expect((await limiter.take("refill", 60)).allowed).toBe(true);
      expect((await limiter.take("refill", 60)).allowed).toBe(false);
      clock.advance(10_000);
      expect(await limiter.take("refill", 60)).toMatchObject({ allowed: true, remaining: 9 });
    });

    it("never holds more than the limit", async () => {
      const limiter = newLimiter();
      await limiter.take("full", 5);
      clock.advance(3_600_000);
      expect(await limiter.take("full", 5)).toMatchObject({ remaining: 4 });
    });

    it("keeps subjects apart", async () => {
      const limiter = newLimiter();
      expect((await limiter.take("one", 1)).allowed).toBe(true);
      expect((await limiter.take("one", 1)).allowed).toBe(false);
      expect((await limiter.take("two", 1)).allowed).toBe(true);
    });

    it("waits for a whole token where the limit is below one a second", async () => {
      const limiter = newLimiter();
      await limiter.take("slow", 1);
      expect(await limiter.take("slow", 1)).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
      clock.advance(30_500);
      expect(await limiter.take("slow", 1)).toMatchObject({ allowed: false, retryAfterSeconds: 30 });
    });

    it("lets exactly the limit through when all come at once", async () => {
      const limiter = newLimiter();
      const decisions = await Promise.all(Array.from({ length: 100 }, () => limiter.take("at once", 40)));
      expect(decisions.filter((decision) => decision.allowed)).toHaveLength(40);
    });
  });
}

contract("the limiter in memory", memoryRateLimiter);

describe.skipIf(!hasRedis)("with Redis (install redis-server to run)", () => {
  let redis: RedisServer;
  let run = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.kill());

  const unheard = { onDown: () => {}, onUp: () => {} };
  contract("the limiter in Redis", (clock) => {
    const limiter = redisRateLimiter({
      url: redis.url,
      clock,
      fallback: memoryRateLimiter(clock),
      ...unheard,
    });
    const prefix = `run${run++}:`;
    return {
      take: (subject, perMinute) => limiter.take(prefix + subject, perMinute),
      close: () => limiter.close(),
    };
  });

  it("shares buckets between processes", async () => {
    const clock = manualClock();
    const [one, two] = [0, 1].map(() =>
      redisRateLimiter({ url: redis.url, clock, fallback: memoryRateLimiter(clock), ...unheard }),
    );
    await one!.take("shared", 2);
    await two!.take("shared", 2);
    expect((await one!.take("shared", 2)).allowed).toBe(false);
    await one!.close();
    await two!.close();
  });

  it("falls back to buckets of its own while Redis is down, and comes back", async () => {
    const clock = manualClock();
    const heard: string[] = [];
    const limiter = redisRateLimiter({
      url: redis.url,
      clock,
      fallback: memoryRateLimiter(clock),
      onDown: () => heard.push("down"),
      onUp: () => heard.push("up"),
    });
    expect((await limiter.take("outage", 1)).allowed).toBe(true);
    await redis.kill();
    expect((await limiter.take("outage", 1)).allowed).toBe(true);
    expect((await limiter.take("outage", 1)).allowed).toBe(false);
    expect(heard).toEqual(["down"]);
    await redis.restart();
    await expect
      .poll(
        async () => {
          await limiter.take("probe", 1_000);
          return heard;
        },
        { timeout: 15_000 },
      )
      .toEqual(["down", "up"]);
    await limiter.close();
  });
});

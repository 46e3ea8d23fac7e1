import { createClient } from "@redis/client";
import type { Clock } from "../../clock.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/**
 * One call: refills the bucket and takes a token. KEYS[1] the bucket; ARGV: tokens per minute, now in milliseconds.
 * Answers whether there was a token, the tokens left (as text: Lua's numbers become integers in answers), and the
 * milliseconds until the next one. A bucket that would be full again is the same as none, and expires.
 */
const TAKE = `
local per_minute = tonumber(ARGV[1])
local now = tonumber(ARGV[2])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or per_minute
local at = tonumber(bucket[2]) or now
tokens = math.min(per_minute, tokens + math.max(0, now - at) * per_minute / 60000)
local allowed = 0
if tokens >= 1 then
  tokens = tokens - 1
  allowed = 1
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], 61000)
return { allowed, tostring(tokens), math.ceil(math.max(0, 1 - tokens) * 60000 / per_minute) }
`;

/** How long a request waits for Redis before this process decides by itself. */
const TIMEOUT_MS = 250;
/** After a failure Redis is left alone this long, so that requests don't each wait for it. */
const BACK_OFF_MS = 1_000;

/**
 * Buckets that all processes share. While Redis is down each process falls back to buckets of its own, and says so
 * once: the API stays up.
 */
export function redisRateLimiter(deps: {
  url: string;
  clock: Clock;
  fallback: RateLimiter;
  onDown(error: unknown): void;
  onUp(): void;
}): RateLimiter {
  let down = false;
  let retryAt = 0;
  const failed = (error: unknown) => {
    retryAt = performance.now() + BACK_OFF_MS;
    if (down) return;
    down = true;
    deps.onDown(error);
  };

  const client = createClient({
    url: deps.url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 2_000,
      reconnectStrategy: (retries: number) => Math.min(100 * 2 ** retries, 5_000),
    },
  });
  client.on("error", failed);
  // The first connection may fail like any later one: the client goes on trying.
  const connecting = client.connect().catch(failed);
  let sha: Promise<string> | undefined;

  const run = async (key: string, perMinute: number): Promise<[number, string, number]> => {
    const options = { keys: [key], arguments: [String(perMinute), String(deps.clock.now())] };
    sha ??= client.scriptLoad(TAKE);
    try {
      return (await client.evalSha(await sha, options)) as [number, string, number];
    } catch (error) {
      sha = undefined;
      // Redis was restarted and has forgotten the script.
      if (!String(error).includes("NOSCRIPT")) throw error;
      return (await client.eval(TAKE, options)) as [number, string, number];
    }
  };

  return {
    async take(subject, perMinute) {
      if (performance.now() >= retryAt && (client.isReady || !down)) {
        try {
          if (!client.isReady) await within(connecting, TIMEOUT_MS);
          const [allowed, tokens, waitMs] = await within(
            run(`outreach:rate:${subject}`, perMinute),
            TIMEOUT_MS,
          );
          if (down) {
            down = false;
            deps.onUp();
          }
          return allowed === 1
            ? { allowed: true, remaining: Math.floor(Number(tokens)), retryAfterSeconds: 0 }
            : { allowed: false, remaining: 0, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
        } catch (error) {
          failed(error);
        }
      }
      return deps.fallback.take(subject, perMinute);
    },
    async close() {
      client.destroy();
      await deps.fallback.close();
    },
  };
}

function within<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Redis did not answer within ${milliseconds} ms`)),
      milliseconds,
    );
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

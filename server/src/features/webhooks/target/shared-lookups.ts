import type { TargetAddress } from "./address-policy.ts";
import type { TargetResolver } from "./target-resolver.ts";

/** How long an answer serves further attempts to the same host. */
const SHARED_FOR_MS = 1_000;
/** More hosts than this within a second: the oldest answers are forgotten early, and asked for again. */
const MAX_HOSTS = 10_000;

interface SharedLookup {
  readonly answer: Promise<readonly TargetAddress[]>;
  /** `performance.now()` when the answer came; null while it is under way. */
  answeredAt: number | null;
}

/**
 * Attempts to one host share the look-up that is under way, and its answer for one second more: every delivery is
 * still re-checked, and a host with a thousand deliveries a second does not cost two thousand queries. It opens no
 * window for rebinding: what is connected to is the address that was checked, never another look-up's. Failures are
 * shared only while under way. One caller's abort leaves the others' look-up alone.
 */
export function shareLookups(resolver: TargetResolver): TargetResolver {
  const lookups = new Map<string, SharedLookup>();

  const begin = (host: string): SharedLookup => {
    const lookup: SharedLookup = { answer: resolver.resolve(host), answeredAt: null };
    lookup.answer.then(
      () => {
        lookup.answeredAt = performance.now();
      },
      () => {
        if (lookups.get(host) === lookup) lookups.delete(host);
      },
    );
    lookups.delete(host);
    lookups.set(host, lookup);
    if (lookups.size > MAX_HOSTS) lookups.delete(lookups.keys().next().value!);
    return lookup;
  };

  return {
    resolve(host, signal) {
      const known = lookups.get(host);
      const usable =
        known && (known.answeredAt === null || performance.now() - known.answeredAt <= SHARED_FOR_MS);
      return orAborted((usable ? known : begin(host)).answer, signal);
    },
  };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

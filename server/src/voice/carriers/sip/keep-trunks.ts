import type { Clock } from "../../../clock.ts";
import type { SipEndpoint } from "./endpoint.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import type { Trunk, TrunkSource } from "./trunk.ts";
import { createTrunkRequests, type TrunkRequests } from "./trunk-requests.ts";

/** Keeps the way to the trunks open, and tells those that want it where we are. */
export interface TrunkKeeper {
  /** The trunks may be others now. */
  changed(): void;
  close(): Promise<void>;
}

export interface TrunkKeeperOptions {
  endpoint: SipEndpoint;
  clock: Clock;
  source: TrunkSource;
  resolve: ResolveTarget;
  /** A trunk answers again, or no longer. */
  onReachable(trunk: Trunk, isReachable: boolean): void;
  onError(error: unknown): void;
}

/** Translators between us and a trunk forget an idle way after a minute or more. */
const KEEP_ALIVE_MS = 60_000;
const REGISTERED_S = 300;

export function keepTrunks(options: TrunkKeeperOptions): TrunkKeeper {
  const { endpoint, clock, source, resolve } = options;
  const reachable = new Map<string, boolean>();
  const registered = new Map<string, { until: number; requests: TrunkRequests }>();
  let round: Promise<void> = Promise.resolve();
  let cancel: () => void = () => undefined;
  let isClosed = false;

  const requestsTo = async (trunk: Trunk) => {
    const [target] = await resolve(trunk.host, trunk.port, trunk.protocol);
    if (!target) throw new Error("The trunk has no address.");
    return createTrunkRequests(endpoint, trunk, await endpoint.flowTo(target));
  };

  async function ping(trunk: Trunk): Promise<void> {
    const answer = await requestsTo(trunk).then(
      (requests) => requests.options(),
      () => "transport" as const,
    );
    const isReachable = typeof answer !== "string";
    if (isClosed || (reachable.get(trunk.id) ?? true) === isReachable) return;
    reachable.set(trunk.id, isReachable);
    options.onReachable(trunk, isReachable);
  }

  async function register(trunk: Trunk): Promise<void> {
    const known = registered.get(trunk.id);
    // Anew well before it runs out: at most two rounds are missed.
    if (known && known.until - clock.now() > 2 * KEEP_ALIVE_MS) return;
    const requests = known?.requests ?? (await requestsTo(trunk));
    const forMs = await requests.register(REGISTERED_S);
    if (forMs === null) registered.delete(trunk.id);
    else registered.set(trunk.id, { until: clock.now() + forMs, requests });
  }

  async function rounds(isPinging: boolean): Promise<void> {
    const trunks = await source.allTrunks();
    for (const id of reachable.keys()) if (!trunks.some((trunk) => trunk.id === id)) reachable.delete(id);
    for (const [id, { requests }] of registered) {
      if (trunks.some((trunk) => trunk.id === id && trunk.register)) continue;
      registered.delete(id);
      void requests.register(0);
    }
    await Promise.allSettled(
      trunks.flatMap((trunk) => [
        ...(isPinging ? [ping(trunk)] : []),
        ...(trunk.register ? [register(trunk)] : []),
      ]),
    );
  }

  const run = (isPinging: boolean) => {
    if (isClosed) return;
    round = rounds(isPinging).catch(options.onError);
  };
  const arm = () => {
    cancel = clock.schedule(clock.now() + KEEP_ALIVE_MS, () => {
      run(true);
      if (!isClosed) arm();
    });
  };
  run(false);
  arm();

  return {
    changed: () => run(false),
    async close() {
      isClosed = true;
      cancel();
      await Promise.race([
        round,
        Promise.allSettled([...registered.values()].map(({ requests }) => requests.register(0))),
      ]);
    },
  };
}

import type { Clock } from "../../../clock.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { createRegistration, type Registration } from "./registration.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import type { Trunk, TrunkSource } from "./trunk.ts";
import { createTrunkRequests } from "./trunk-requests.ts";

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
  /** A trunk has taken our registration, or takes it no longer: refused with that status, null: no answer. */
  onRegistered(trunk: Trunk, isRegistered: boolean, status: number | null): void;
  onError(error: unknown): void;
}

/** Translators between us and a trunk forget an idle way after a minute or more. */
const KEEP_ALIVE_MS = 60_000;

export function keepTrunks(options: TrunkKeeperOptions): TrunkKeeper {
  const { endpoint, clock, source, resolve } = options;
  const reachable = new Map<string, boolean>();
  const registrations = new Map<string, Registration>();
  let cancel: () => void = () => undefined;
  let isClosed = false;

  const flowTo = async (trunk: Trunk) => {
    const [target] = await resolve(trunk.host, trunk.port, trunk.protocol);
    if (!target) throw new Error("The trunk has no address.");
    return endpoint.flowTo(target);
  };

  async function ping(trunk: Trunk): Promise<void> {
    const answer = await flowTo(trunk).then(
      (flow) => createTrunkRequests(endpoint, trunk).options(flow),
      () => "transport" as const,
    );
    const isReachable = typeof answer !== "string";
    if (isClosed || (reachable.get(trunk.id) ?? true) === isReachable) return;
    reachable.set(trunk.id, isReachable);
    options.onReachable(trunk, isReachable);
  }

  function registrationAt(trunk: Trunk): Registration {
    const known = registrations.get(trunk.id);
    if (known) return known;
    const made = createRegistration({
      clock,
      requests: createTrunkRequests(endpoint, trunk),
      flow: () => flowTo(trunk),
      onChanged: (isRegistered, status) => options.onRegistered(trunk, isRegistered, status),
    });
    registrations.set(trunk.id, made);
    return made;
  }

  async function round(isPinging: boolean): Promise<void> {
    const trunks = await source.allTrunks();
    if (isClosed) return;
    for (const id of reachable.keys()) if (!trunks.some((trunk) => trunk.id === id)) reachable.delete(id);
    for (const [id, registration] of registrations) {
      if (trunks.some((trunk) => trunk.id === id && trunk.register)) continue;
      registrations.delete(id);
      registration.close().catch(options.onError);
    }
    for (const trunk of trunks) {
      if (isPinging) ping(trunk).catch(options.onError);
      if (trunk.register) registrationAt(trunk).keep();
    }
  }

  const run = (isPinging: boolean) => void round(isPinging).catch(options.onError);
  const arm = () => {
    cancel = clock.schedule(clock.now() + KEEP_ALIVE_MS, () => {
      run(true);
      arm();
    });
  };
  run(false);
  arm();

  return {
    changed: () => run(false),
    async close() {
      isClosed = true;
      cancel();
      await Promise.allSettled([...registrations.values()].map((registration) => registration.close()));
    },
  };
}

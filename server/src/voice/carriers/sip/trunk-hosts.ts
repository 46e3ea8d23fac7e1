import type { Clock } from "../../../clock.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import type { Trunk, TrunkSource } from "./trunk.ts";

/** Who may call us: the trunks, by the addresses of their hosts. */
export interface TrunkHosts {
  /** The trunks at that address. */
  at(address: string): Promise<Trunk[]>;
  /** The trunks may be others now. */
  forget(): void;
}

/** A name's addresses may change. Also how often a stranger's INVITE can make us ask. */
const KEPT_MS = 30_000;

export function createTrunkHosts(deps: {
  clock: Clock;
  source: TrunkSource;
  resolve: ResolveTarget;
}): TrunkHosts {
  let known: { at: number; trunks: Promise<{ trunk: Trunk; addresses: Set<string> }[]> } | null = null;
  const load = async () => {
    const trunks = await deps.source.allTrunks();
    return Promise.all(
      trunks.map(async (trunk) => {
        const targets = await deps.resolve(trunk.host, trunk.port, trunk.protocol).catch(() => []);
        return { trunk, addresses: new Set(targets.map(({ address }) => address)) };
      }),
    );
  };
  return {
    async at(address) {
      const now = deps.clock.now();
      if (!known || now - known.at > KEPT_MS) {
        const trunks = load();
        known = { at: now, trunks };
        trunks.catch(() => {
          if (known?.trunks === trunks) known = null;
        });
      }
      return (await known.trunks).filter(({ addresses }) => addresses.has(address)).map(({ trunk }) => trunk);
    },
    forget() {
      known = null;
    },
  };
}

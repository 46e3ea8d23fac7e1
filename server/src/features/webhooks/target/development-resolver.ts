import { lookup } from "node:dns/promises";
import type { TargetAddress } from "./address-policy.ts";
import { isPrivateHostname } from "./host-policy.ts";
import type { TargetResolver } from "./target-resolver.ts";

/**
 * For `WEBHOOK_ALLOW_PRIVATE_TARGETS=1`: `localhost`, single labels and the private suffixes go to the operating
 * system alone (no name server knows them), other names to `dns` first and to the system when that finds nothing,
 * so that entries of /etc/hosts work.
 */
export function createDevelopmentResolver(dns: TargetResolver): TargetResolver {
  return {
    async resolve(host, signal) {
      if (isPrivateHostname(host)) return await lookupBySystem(host);
      let failure: unknown;
      try {
        const addresses = await dns.resolve(host, signal);
        if (addresses.length > 0) return addresses;
      } catch (error) {
        signal?.throwIfAborted();
        failure = error;
      }
      try {
        return await lookupBySystem(host);
      } catch {
        if (failure === undefined) return [];
        throw failure;
      }
    },
  };
}

async function lookupBySystem(host: string): Promise<readonly TargetAddress[]> {
  const found = await lookup(host, { all: true });
  return found
    .map(({ address, family }): TargetAddress => ({ address, family: family === 6 ? 6 : 4 }))
    .sort((a, b) => a.family - b.family);
}

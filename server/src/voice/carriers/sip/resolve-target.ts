import { lookup, resolveSrv } from "node:dns/promises";
import { isIP } from "node:net";
import type { Protocol, Target } from "./flow.ts";

/** Where the servers of a name are: the first one first. */
export type ResolveTarget = (
  host: string,
  port: number | null,
  protocol: Protocol,
) => Promise<readonly Target[]>;

const SERVICES: Readonly<Record<Protocol, string>> = {
  udp: "_sip._udp",
  tcp: "_sip._tcp",
  tls: "_sips._tcp",
};
const MAX_TARGETS = 8;

export function defaultPort(protocol: Protocol): number {
  return protocol === "tls" ? 5061 : 5060;
}

/**
 * By RFC 3263, with the protocol given: SRV records of a name without a port, then its addresses.
 * @throws what the resolver says when the name has no address
 */
export const resolveTarget: ResolveTarget = async (host, port, protocol) => {
  if (isIP(host) !== 0)
    return [{ protocol, address: host, port: port ?? defaultPort(protocol), serverName: host }];
  const servers = port === null ? await servicesOf(host, protocol) : [];
  const names = servers.length > 0 ? servers : [{ name: host, port: port ?? defaultPort(protocol) }];
  const found = await Promise.allSettled(
    names.map(async (server) =>
      (await lookup(server.name, { all: true })).map(({ address }) => ({
        protocol,
        address,
        port: server.port,
        serverName: host,
      })),
    ),
  );
  const targets = found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (targets.length > 0) return targets.slice(0, MAX_TARGETS);
  throw found.find((result) => result.status === "rejected")?.reason ?? new Error(`${host} has no address.`);
};

async function servicesOf(host: string, protocol: Protocol): Promise<{ name: string; port: number }[]> {
  try {
    const records = await resolveSrv(`${SERVICES[protocol]}.${host}`);
    return records.sort((one, other) => one.priority - other.priority || other.weight - one.weight);
  } catch {
    return [];
  }
}

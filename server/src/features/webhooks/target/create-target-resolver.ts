import { createDevelopmentResolver } from "./development-resolver.ts";
import { createDnsResolver, type DnsResolverOptions } from "./dns-resolver.ts";
import type { OwnedTargetResolver } from "./target-resolver.ts";

/** The resolver that the service runs with: DNS alone, and with private targets allowed also the system's own names. */
export function createTargetResolver(
  options: DnsResolverOptions & { readonly allowPrivateTargets: boolean },
): OwnedTargetResolver {
  const dns = createDnsResolver(options);
  if (!options.allowPrivateTargets) return dns;
  return { ...createDevelopmentResolver(dns), close: () => dns.close() };
}

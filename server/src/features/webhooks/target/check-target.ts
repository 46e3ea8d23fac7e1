import { DomainError } from "../../../domain-error.ts";
import { isGlobalUnicast, type TargetAddress, toDialable } from "./address-policy.ts";
import { type ParsedTarget, parseTarget } from "./parse-target.ts";
import type { TargetResolver } from "./target-resolver.ts";

export interface TargetCheckDeps {
  readonly resolver: TargetResolver;
  /** `WEBHOOK_ALLOW_PRIVATE_TARGETS=1`: http, private names and private addresses pass; everything else still counts. */
  readonly allowPrivateTargets: boolean;
  /** When it aborts, the check rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A target that may be connected to, at one of exactly these addresses. */
export interface VettedTarget extends ParsedTarget {
  /** At least one; IPv4 first. */
  readonly addresses: readonly TargetAddress[];
}

/**
 * Checks a webhook's target URL: its text, then where its name leads. Throws a DomainError with the contract's code,
 * in the contract's order (see `parseTarget`, then `dns_lookup_failed` → `dns_no_records` → `private_resolved_ipv4` →
 * `private_resolved_ipv6`). One private address among several is enough to refuse.
 */
export async function checkTargetUrl(text: unknown, deps: TargetCheckDeps): Promise<VettedTarget> {
  const parsed = parseTarget(text, deps.allowPrivateTargets);
  return vetLiteral(parsed) ?? (await vetName(parsed, deps));
}

/** The vetted target when the host is an IP literal, else null: what a delivery asks first, as it needs no waiting. */
export function vetLiteral(parsed: ParsedTarget): VettedTarget | null {
  return parsed.literal === null ? null : { ...parsed, addresses: [parsed.literal] };
}

/** Resolves the host of a parsed target and judges every address. Throws as `checkTargetUrl` does. */
export async function vetName(parsed: ParsedTarget, deps: TargetCheckDeps): Promise<VettedTarget> {
  const found = await lookUp(parsed.hostname, deps);
  if (found.length === 0) {
    throw new DomainError("dns_no_records", "target_url's host name has no address records.");
  }
  if (!deps.allowPrivateTargets) {
    const refused = found.filter(({ address }) => !isGlobalUnicast(address));
    if (refused.some(({ family }) => family === 4)) {
      throw new DomainError(
        "private_resolved_ipv4",
        "target_url's host name leads to a private IPv4 address.",
      );
    }
    if (refused.length > 0) {
      throw new DomainError(
        "private_resolved_ipv6",
        "target_url's host name leads to a private IPv6 address.",
      );
    }
  }
  return { ...parsed, addresses: found.map(({ address, family }) => toDialable(address, family)) };
}

async function lookUp(hostname: string, deps: TargetCheckDeps): Promise<readonly TargetAddress[]> {
  try {
    return await deps.resolver.resolve(hostname, deps.signal);
  } catch {
    deps.signal?.throwIfAborted();
    throw new DomainError("dns_lookup_failed", "target_url's host name could not be looked up.");
  }
}

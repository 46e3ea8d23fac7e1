import type { TargetAddress } from "./address-policy.ts";

/**
 * How host names become addresses: the seam between the target check and DNS.
 *
 * `resolve` gives every address of the name, of both families. An empty list means that the name exists and has no
 * address; a rejection means that no answer was to be had (no such name, a server's failure, out of time), except
 * that an aborted `signal` rejects with the signal's reason.
 */
export interface TargetResolver {
  /** @param host lower case, punycode, no trailing dot, never an IP literal */
  resolve(host: string, signal?: AbortSignal): Promise<readonly TargetAddress[]>;
}

/** A resolver with sockets of its own; whoever made it closes it. Look-ups under way then reject. */
export interface OwnedTargetResolver extends TargetResolver {
  close(): void;
}

import { connect } from "node:net";
import { DomainError } from "../../../domain-error.ts";
import { remembered } from "../../../remembered.ts";
import {
  type ParsedTarget,
  parseTarget,
  shareLookups,
  type TargetResolver,
  type VettedTarget,
  vetLiteral,
  vetName,
} from "../target/index.ts";
import { createConnections } from "./connections.ts";
import type { OpenSocket } from "./dial.ts";
import { type DeliveryOutcome, postDelivery } from "./post-delivery.ts";
import { type DescribedDelivery, deliveryHeaders } from "./request-headers.ts";
import { signingKey } from "./signature.ts";

export interface DeliveryClientOptions {
  readonly resolver: TargetResolver;
  /** `WEBHOOK_ALLOW_PRIVATE_TARGETS=1`. */
  readonly allowPrivateTargets: boolean;
  /** For DNS, connecting, TLS, the answer's head and body together. Default the contract's 10,000. */
  readonly timeoutMs?: number;
  /** Certificate authorities (PEM) to trust instead of the system's. */
  readonly ca?: string | readonly string[];
  /** How a connection to a vetted address is opened. Default `net.connect`. */
  readonly openSocket?: OpenSocket;
  /** Idle keep-alive connections kept over all targets. Default 256. */
  readonly maxIdleConnections?: number;
}

export interface DeliveryAttempt extends DescribedDelivery {
  /** The subscription's whole `whsec_…` string. */
  readonly secret: string;
  readonly targetUrl: string;
  readonly body: string | Buffer;
  /** Ends the attempt with the error `aborted`, unless a status has already come. */
  readonly signal?: AbortSignal;
}

/** Sends signed deliveries; owns its connections and look-ups until it is closed. */
export interface DeliveryClient {
  /**
   * Checks the target again, connects to an address that was checked, POSTs once, and says what came of it within
   * the limit. Rejects only on a programming error (closed client, unsignable timestamp).
   *
   * An outcome whose error is `aborted` says nothing about the receiver: leave the delivery to its lease.
   */
  deliver(attempt: DeliveryAttempt): Promise<DeliveryOutcome>;
  /** Ends what is under way (as `aborted`) and closes every connection. Drain first: await the deliveries. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_IDLE = 256;
const MAX_KNOWN = 2_000;

interface KnownUrl {
  readonly parsed: ParsedTarget;
  /** Set when the host is an IP literal: nothing is left to ask. */
  readonly vetted: VettedTarget | null;
}

/** IP literals only: were a name ever to get here, it would not be looked up. */
function openLiteral(address: string, port: number) {
  return connect({
    host: address,
    port,
    lookup: (host, _, done) => done(new Error(`${host} is not an address`), "", 4),
  });
}

export function createDeliveryClient(options: DeliveryClientOptions): DeliveryClient {
  const { allowPrivateTargets, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const resolver = shareLookups(options.resolver);
  const connections = createConnections({
    openSocket: options.openSocket ?? openLiteral,
    ca: options.ca,
    maxIdle: options.maxIdleConnections ?? DEFAULT_MAX_IDLE,
  });
  const lookups = new Set<AbortController>();
  let closed = false;

  // What a URL's text says never changes: known ones are not parsed again, which is 3 to 15 µs of every delivery.
  const knownUrl = remembered((targetUrl): KnownUrl => {
    const parsed = parseTarget(targetUrl, allowPrivateTargets);
    return { parsed, vetted: vetLiteral(parsed) };
  }, MAX_KNOWN);
  const keyOf = remembered(signingKey, MAX_KNOWN);

  /** Resolves the target of an attempt again, cut off by the limit, the caller's signal and `close`. */
  const vet = async (parsed: ParsedTarget, signal: AbortSignal | undefined): Promise<VettedTarget> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort("timeout"), timeoutMs);
    const onAbort = () => controller.abort("aborted");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    lookups.add(controller);
    try {
      return await vetName(parsed, { resolver, allowPrivateTargets, signal: controller.signal });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      lookups.delete(controller);
    }
  };

  return {
    async deliver(attempt) {
      if (closed) throw new Error("the delivery client is closed");
      const startedAt = performance.now();
      const body = typeof attempt.body === "string" ? Buffer.from(attempt.body) : attempt.body;
      const headers = deliveryHeaders(attempt, keyOf(attempt.secret), body);
      let target: VettedTarget;
      try {
        const { parsed, vetted } = knownUrl(attempt.targetUrl);
        target = vetted ?? (await vet(parsed, attempt.signal));
      } catch (error) {
        return refused(error, startedAt);
      }
      if (closed) return notSent("aborted", false, startedAt);
      const remainingMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
      const { signal } = attempt;
      // Not awaited: each turn that a delivery takes costs it.
      return postDelivery({ target, headers, body, timeoutMs: remainingMs, startedAt, signal }, connections);
    },
    async close() {
      closed = true;
      for (const lookup of lookups) lookup.abort("aborted");
      await connections.close();
    },
  };
}

function refused(error: unknown, startedAt: number): DeliveryOutcome {
  if (error instanceof DomainError) return notSent(error.code, isPermanent(error.code), startedAt);
  if (error === "timeout" || error === "aborted") return notSent(error, false, startedAt);
  throw error;
}

/** An http target was taken while private targets were allowed: it is as much from inside as a private address. */
function isPermanent(code: string): boolean {
  return code.startsWith("private_") || code === "https_required_in_production";
}

function notSent(error: string, permanent: boolean, startedAt: number): DeliveryOutcome {
  return {
    ok: false,
    status: null,
    error,
    permanent,
    durationMs: Math.round(performance.now() - startedAt),
    responseExcerpt: null,
  };
}

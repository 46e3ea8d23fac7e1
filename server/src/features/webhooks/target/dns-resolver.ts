import { Resolver } from "node:dns/promises";
import type { TargetAddress } from "./address-policy.ts";
import type { OwnedTargetResolver } from "./target-resolver.ts";

export interface DnsResolverOptions {
  /** Name servers as `address:port`; default those of the system. */
  readonly servers?: readonly string[];
  /** The whole look-up's limit; it is part of a delivery's 10 s. */
  readonly limitMs?: number;
  /** How long to wait for the other family once one has answered with addresses. */
  readonly graceMs?: number;
}

type FamilyAnswer = { addresses: TargetAddress[]; missing: "nothing" | "records" | "name" | "answer" };

/**
 * Asks DNS itself (A and AAAA side by side), not the system's look-up: `getaddrinfo` reads /etc/hosts, and does not
 * tell "no such name" from "no address records". One family's failure doesn't matter when the other has addresses.
 */
export function createDnsResolver(options: DnsResolverOptions = {}): OwnedTargetResolver {
  const { limitMs = 4_000, graceMs = 1_000 } = options;
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (options.servers) resolver.setServers([...options.servers]);

  const ask = async (host: string, family: 4 | 6): Promise<FamilyAnswer> => {
    try {
      const found = family === 4 ? await resolver.resolve4(host) : await resolver.resolve6(host);
      const addresses = found.map((address) => ({ address, family }));
      return { addresses, missing: addresses.length > 0 ? "nothing" : "records" };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      return {
        addresses: [],
        missing: code === "ENODATA" ? "records" : code === "ENOTFOUND" ? "name" : "answer",
      };
    }
  };

  return {
    resolve(host, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const answers: FamilyAnswer[] = [];
        let timer = setTimeout(() => finish(), limitMs);
        const onAbort = () => finish(signal?.reason);
        const finish = (abortReason?: unknown) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          if (abortReason !== undefined) return reject(abortReason);
          const addresses = answers.flatMap((answer) => answer.addresses);
          if (addresses.length > 0) resolve(addresses.sort((a, b) => a.family - b.family));
          else if (hasNoRecords(answers)) resolve([]);
          else reject(new Error("the name was not found, or its name servers gave no answer"));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        for (const family of [4, 6] as const) {
          void ask(host, family).then((answer) => {
            answers.push(answer);
            if (answers.length === 2) finish();
            else if (answer.addresses.length > 0) {
              clearTimeout(timer);
              timer = setTimeout(() => finish(), graceMs);
            }
          });
        }
      });
    },
    close: () => resolver.cancel(),
  };
}

/** Some name servers wrongly deny the whole name when only one family is missing: "records" from either counts. */
function hasNoRecords(answers: readonly FamilyAnswer[]): boolean {
  return (
    answers.length === 2 &&
    answers.every((answer) => answer.missing !== "answer") &&
    answers.some((answer) => answer.missing === "records")
  );
}

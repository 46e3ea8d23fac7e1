import { randomBytes } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../../clock.ts";
import { bindProblem } from "./bind-problem.ts";
import { openEndpoint } from "./endpoint.ts";
import { defaultPort, resolveTarget } from "./resolve-target.ts";
import type { Trunk } from "./trunk.ts";
import { createTrunkRequests } from "./trunk-requests.ts";

/** What a trunk answered to the question whether it is there. */
export interface TrunkProbe {
  /** Null: nothing came. */
  status: number | null;
  reason: string | null;
  roundTripMs: number | null;
  /** What that means and what to do, in words for operators. */
  message: string;
}

/** Longer than a datagram that is lost twice. */
const PATIENCE_MS = 5_000;

/** Asks a trunk by OPTIONS, from a port of its own: also where this process places no calls. */
export async function probeTrunk(
  deps: {
    clock: Clock;
    bindAddress: string;
    advertisedAddress: string | null;
    tls?: Pick<ConnectionOptions, "ca">;
  },
  trunk: Trunk,
): Promise<TrunkProbe> {
  const { clock } = deps;
  const nothing = (message: string): TrunkProbe => ({
    status: null,
    reason: null,
    roundTripMs: null,
    message,
  });
  const where = `${trunk.host}:${trunk.port ?? defaultPort(trunk.protocol)} over ${trunk.protocol.toUpperCase()}`;
  const targets = await resolveTarget(trunk.host, trunk.port, trunk.protocol).catch(() => []);
  if (targets.length === 0) return nothing(`The name ${trunk.host} has no address: check the trunk's URI.`);
  const bind = { address: deps.bindAddress, port: 0 };
  const opened = await openEndpoint({
    ...deps,
    bind,
    newToken: () => randomBytes(10).toString("hex"),
    listens: false,
    onRequest: () => undefined,
    onError: () => undefined,
  }).catch((error: unknown) => bindProblem(bind, error));
  if (typeof opened === "string") return nothing(opened);
  let cancel: () => void = () => undefined;
  const late = new Promise<"timeout">((resolve) => {
    cancel = clock.schedule(clock.now() + PATIENCE_MS, () => resolve("timeout"));
  });
  try {
    const flow = await opened.flowTo(targets[0]!);
    const startedAt = clock.now();
    const answer = await Promise.race([createTrunkRequests(opened, trunk, flow).options(), late]);
    if (typeof answer === "string") {
      const local = deps.bindAddress.startsWith("127.") ? LOOPBACK_HINT : "";
      return nothing(
        answer === "timeout"
          ? `Nothing came back from ${where} within ${PATIENCE_MS / 1_000} s: wrong host or port, a firewall on the way, or a trunk that knows other addresses than ours.${local}`
          : `Nothing can be sent to ${where}: there is no way there from SIP_BIND's address.${local}`,
      );
    }
    const roundTripMs = clock.now() - startedAt;
    const message = meaning(answer.status, trunk.credentials !== null);
    return { status: answer.status, reason: answer.reason, roundTripMs, message };
  } catch (error) {
    return nothing(
      `No connection to ${where}: ${error instanceof Error ? error.message : String(error)}.${deps.bindAddress.startsWith("127.") ? LOOPBACK_HINT : ""}`,
    );
  } finally {
    cancel();
    await opened.close();
  }
}

const LOOPBACK_HINT =
  " SIP_BIND is on this machine's loopback, from where only servers on this machine can be reached: set it to 0.0.0.0:5070 for others.";

function meaning(status: number, hasCredentials: boolean): string {
  if (status < 300) return "The trunk is there and takes requests from us.";
  if (status === 401 || status === 407) {
    return hasCredentials
      ? "The trunk is there, but doesn't accept the user name or the password."
      : "The trunk is there and asks for a user name and a password: add it again with --username and --password.";
  }
  if (status === 403)
    return "The trunk is there, but refuses us: ask its operator to allow this server's address.";
  if (status === 503) return "The trunk is there, but takes no calls at the moment.";
  if (status >= 500) return "The trunk is there, but has a failure of its own.";
  return "The trunk is there. It doesn't care for this question (OPTIONS), which says nothing against calls.";
}

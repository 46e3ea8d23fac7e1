import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../../clock.ts";
import { bindProblem } from "./bind-problem.ts";
import { openEndpoint, type SipEndpoint } from "./endpoint.ts";
import type { SipFlow, Target } from "./flow.ts";
import { meaningOf, unreachable } from "./probe-words.ts";
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
const LOOK_MS = 100;

const LOOPBACK_HINT =
  " SIP_BIND is on this machine's loopback, from where only servers on this machine can be reached: set it to 0.0.0.0:5070 for others.";

const nothing = (message: string): TrunkProbe => ({ status: null, reason: null, roundTripMs: null, message });

/**
 * Asks a trunk by OPTIONS, and, where it is one to register at, who is registered: that takes the password. From a port of its
 * own, so also where this process places no calls.
 */
export async function probeTrunk(
  deps: {
    clock: Clock;
    bindAddress: string;
    advertisedAddress: string | null;
    tls?: Pick<ConnectionOptions, "ca">;
  },
  trunk: Trunk,
): Promise<TrunkProbe> {
  const port = trunk.port ?? defaultPort(trunk.protocol);
  const where = `${trunk.host}:${port} over ${trunk.protocol.toUpperCase()}`;
  const hint = deps.bindAddress.startsWith("127.") ? LOOPBACK_HINT : "";
  let target: Target;
  try {
    const [first] = await resolveTarget(trunk.host, trunk.port, trunk.protocol);
    if (!first) return nothing(`The name ${trunk.host} has no address: check the trunk's URI.`);
    target = first;
  } catch (error) {
    return nothing(unreachable(error, where, trunk.host));
  }
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
  const refusal = target.protocol === "udp" ? listenForRefusal(target) : null;
  let cancel: () => void = () => undefined;
  let stopWatching: () => void = () => undefined;
  try {
    const flow = await opened.flowTo(target);
    const late = new Promise<"timeout">((resolve) => {
      cancel = deps.clock.schedule(deps.clock.now() + PATIENCE_MS, () => resolve("timeout"));
    });
    const gone = new Promise<"transport">((resolve) => {
      stopWatching = whenGone(deps.clock, flow, () => resolve("transport"));
    });
    const startedAt = deps.clock.now();
    const asked = ask(opened, trunk, flow);
    const said = await Promise.race([asked, late, gone, ...(refusal ? [refusal.refused] : [])]);
    if (said instanceof Error) return nothing(unreachable(said, where, trunk.host) + hint);
    if (said === "transport" && flow.protocol !== "udp")
      return nothing(unreachable({ code: "EPIPE" }, where, trunk.host));
    if (said === "transport")
      return nothing(
        `Nothing can be sent to ${where}: there is no way there from SIP_BIND's address.${hint}`,
      );
    if (said === "timeout")
      return nothing(
        `Nothing came back from ${where} within ${PATIENCE_MS / 1_000} s: wrong host or port, a firewall on the way, or a trunk that knows other addresses than ours.${hint}`,
      );
    const roundTripMs = deps.clock.now() - startedAt;
    const message = meaningOf(said, trunk.credentials);
    return { status: said.status, reason: said.reason, roundTripMs, message };
  } catch (error) {
    return nothing(unreachable(error, where, trunk.host) + (isAboutTrust(error) ? "" : hint));
  } finally {
    cancel();
    stopWatching();
    refusal?.close();
    await opened.close();
  }
}

/** A server that closes the connection doesn't answer over it any more. @returns stops it */
function whenGone(clock: Clock, flow: SipFlow, onGone: () => void): () => void {
  if (flow.protocol === "udp") return () => undefined;
  let cancel: () => void = () => undefined;
  const look = () => {
    if (!flow.isOpen()) return onGone();
    cancel = clock.schedule(clock.now() + LOOK_MS, look);
  };
  look();
  return () => cancel();
}

/** The answer that proves more: who is registered is told for the right password only. */
async function ask(endpoint: SipEndpoint, trunk: Trunk, flow: SipFlow) {
  const there = await createTrunkRequests(endpoint, trunk).options(flow);
  const isFine = typeof there !== "string" && (there.status < 300 || there.status === 405);
  if (!isFine || !trunk.register || !trunk.credentials) return there;
  const known = await createTrunkRequests(endpoint, trunk).registered(flow);
  const tells = typeof known !== "string" && (known.status < 300 || [401, 403, 407].includes(known.status));
  return tells ? known : there;
}

/** A machine may say that nobody has that port (ICMP), which only a socket of one far side is told. */
function listenForRefusal({ address, port }: Target): { refused: Promise<Error>; close(): void } {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const refused = new Promise<Error>((resolve) => {
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") resolve(error);
    });
    socket.connect(port, address, () => {
      // Nobody answers it who isn't asked to: a sign of life (RFC 5626, 3.5.1).
      socket.send("\r\n\r\n", () => undefined);
    });
  });
  return { refused, close: () => socket.close() };
}

function isAboutTrust(error: unknown): boolean {
  return error instanceof Error && "code" in error && /CERT|SIGNATURE|SSL|EPROTO/.test(String(error.code));
}

import { hostText, parseNameAddress, parseUri, tagOf } from "./address.ts";
import type { SipEndpoint } from "./endpoint.ts";
import type { Protocol, SipFlow } from "./flow.ts";
import { cseqOf, header, headerList, type SipHeader, type SipRequest, type SipResponse } from "./message.ts";
import { defaultPort, type ResolveTarget } from "./resolve-target.ts";
import { viaFor } from "./transactions.ts";

/** Two ends that know each other (RFC 3261, 12): what requests between them carry. */
export interface Dialog {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  /** The next request of ours. */
  request(method: string, more?: { headers?: readonly SipHeader[]; body?: string }): SipRequest;
  /** The ACK of an INVITE's 2xx. */
  ack(cseq: number, body?: string): SipRequest;
  /** False for a request that is older than one that came before. */
  isInOrder(request: SipRequest): boolean;
  /** A re-INVITE or its answer may tell another address. */
  refreshTarget(message: SipRequest | SipResponse): void;
  /** Over which way requests go now. @throws when there is none */
  flow(): Promise<SipFlow>;
  /** An ACK belongs to no transaction: it is sent as it is. */
  send(ack: SipRequest): Promise<void>;
}

interface Ends {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** From and To of our requests. */
  local: string;
  remote: string;
  remoteTarget: string;
  routes: string[];
  localSequence: number;
  remoteSequence: number | null;
  /** Over which the dialog began. */
  flow: SipFlow;
}

/** Of the answer to our INVITE. @returns null when the answer makes none */
export function dialogOfAnswer(
  deps: DialogDeps,
  invite: SipRequest,
  response: SipResponse,
  flow: SipFlow,
): Dialog | null {
  const remote = header(response, "to")!;
  const remoteTag = tagOf(remote);
  const local = header(invite, "from")!;
  const remoteTarget = parseNameAddress(headerList(response, "contact")[0])?.uri ?? invite.uri;
  return createDialog(deps, {
    callId: header(invite, "call-id")!,
    localTag: tagOf(local)!,
    // One from before tags: RFC 3261, 12.1.2.
    remoteTag: remoteTag ?? "",
    local,
    remote,
    remoteTarget,
    routes: headerList(response, "record-route").reverse(),
    localSequence: cseqOf(invite)!.number,
    remoteSequence: null,
    flow,
  });
}

/** Of an INVITE that we answer with this tag. */
export function dialogOfInvite(
  deps: DialogDeps,
  invite: SipRequest,
  localTag: string,
  flow: SipFlow,
): Dialog {
  const remote = header(invite, "from")!;
  return createDialog(deps, {
    callId: header(invite, "call-id")!,
    localTag,
    remoteTag: tagOf(remote) ?? "",
    local: `${header(invite, "to")};tag=${localTag}`,
    remote,
    remoteTarget:
      parseNameAddress(headerList(invite, "contact")[0])?.uri ?? parseNameAddress(remote)?.uri ?? "",
    routes: headerList(invite, "record-route"),
    localSequence: 0,
    remoteSequence: cseqOf(invite)!.number,
    flow,
  });
}

export interface DialogDeps {
  endpoint: Pick<SipEndpoint, "flowTo" | "newToken">;
  resolve: ResolveTarget;
}

function createDialog({ endpoint, resolve }: DialogDeps, ends: Ends): Dialog {
  const { newToken } = endpoint;
  const { callId, localTag, remoteTag, routes } = ends;
  let { localSequence, remoteSequence, remoteTarget, flow } = ends;

  const build = (method: string, cseq: number, headers: readonly SipHeader[], body: string): SipRequest => {
    // A strict router takes its own address for the request's (RFC 3261, 12.2.1.1).
    const first = parseNameAddress(routes[0])?.uri;
    const isStrict = first !== undefined && !(parseUri(first)?.params.has("lr") ?? true);
    return {
      kind: "request",
      method,
      uri: isStrict ? first : remoteTarget,
      headers: [
        ...(isStrict ? [...routes.slice(1), `<${remoteTarget}>`] : routes).map((value) => ({
          name: "route",
          value,
        })),
        { name: "max-forwards", value: "70" },
        { name: "from", value: ends.local },
        { name: "to", value: ends.remote },
        { name: "call-id", value: callId },
        { name: "cseq", value: `${cseq} ${method}` },
        { name: "contact", value: contactOf(flow) },
        ...headers,
        ...(body === "" ? [] : [{ name: "content-type", value: "application/sdp" }]),
      ],
      body: Buffer.from(body),
    };
  };

  const currentFlow = async () => {
    // A connection stands for the far side: whatever its address is called behind translators.
    if (flow.protocol !== "udp" && flow.isOpen()) return flow;
    const next = parseUri(parseNameAddress(routes[0])?.uri ?? remoteTarget);
    if (!next || next.host === "") return flow;
    const protocol = protocolOf(next.params, flow.protocol);
    const isThisWay =
      next.host === flow.remote.address && (next.port ?? defaultPort(protocol)) === flow.remote.port;
    if (isThisWay && protocol === flow.protocol && flow.isOpen()) return flow;
    // A name that nobody knows: the way that was good so far.
    const [target] = await resolve(next.host, next.port, protocol).catch(() => []);
    if (target) flow = await endpoint.flowTo(target);
    return flow;
  };

  return {
    callId,
    localTag,
    remoteTag,
    request(method, more = {}) {
      localSequence++;
      return build(method, localSequence, more.headers ?? [], more.body ?? "");
    },
    ack: (cseq, body = "") => build("ACK", cseq, [], body),
    isInOrder(request) {
      const number = cseqOf(request)!.number;
      if (remoteSequence !== null && number <= remoteSequence) return false;
      remoteSequence = number;
      return true;
    },
    refreshTarget(message) {
      const uri = parseNameAddress(headerList(message, "contact")[0])?.uri;
      if (uri !== undefined && parseUri(uri)) remoteTarget = uri;
    },
    flow: currentFlow,
    async send(ack) {
      const over = await currentFlow();
      await over.send({ ...ack, headers: [viaFor(over, newToken()), ...ack.headers] });
    },
  };
}

function protocolOf(params: ReadonlyMap<string, string>, otherwise: Protocol): Protocol {
  const named = params.get("transport")?.toLowerCase();
  return named === "udp" || named === "tcp" || named === "tls" ? named : otherwise;
}

/** Where we are reached. */
export function contactOf(flow: SipFlow): string {
  const { address, port } = flow.local;
  const transport = flow.protocol === "udp" ? "" : `;transport=${flow.protocol}`;
  return `<sip:outreach@${hostText(address)}:${port}${transport}>`;
}

import type { Clock } from "../../../clock.ts";
import { hostText, tagOf } from "./address.ts";
import { type ClientListener, type ClientTransaction, startClientTransaction } from "./client-transaction.ts";
import type { SipFlow } from "./flow.ts";
import { cseqOf, header, responseTo, type SipHeader, type SipMessage, type SipRequest } from "./message.ts";
import { type ServerTransaction, startServerTransaction } from "./server-transaction.ts";
import { parseVia, withSource } from "./via.ts";

/** Matches what comes in with what is under way; what begins something new goes to who listens. */
export interface Transactions {
  /**
   * Sends a request, under a Via of its own.
   * @param branch only for CANCEL, which goes by its INVITE's
   */
  request(flow: SipFlow, request: SipRequest, listener: ClientListener, branch?: string): ClientTransaction;
  received(message: SipMessage, flow: SipFlow): void;
  /** The INVITE that a CANCEL is about, while it is known. */
  inviteOf(cancel: SipRequest): ServerTransaction | undefined;
  /** How many are under way. */
  readonly size: number;
  /** Forgets all of them. */
  stop(): void;
}

export interface TransactionsDeps {
  clock: Clock;
  /** Letters and digits that nobody else has and nobody can guess. */
  newToken(): string;
  /** A request that begins a transaction, or an ACK that belongs to a dialog (then there is nothing to answer). */
  onRequest(request: SipRequest, transaction: ServerTransaction | null, flow: SipFlow): void;
}

/** Whoever floods us gets 503 once so many requests are under way. */
const MAX_SERVER_TRANSACTIONS = 5_000;
const MAGIC_COOKIE = "z9hG4bK";

export function createTransactions(deps: TransactionsDeps): Transactions {
  const { clock } = deps;
  const clients = new Map<string, ClientTransaction>();
  const servers = new Map<string, ServerTransaction>();

  function receivedRequest(received: SipRequest, flow: SipFlow) {
    const request = fromThere(received, flow);
    const key = serverKey(request, request.method === "ACK" ? "INVITE" : request.method);
    const known = servers.get(key);
    if (request.method === "ACK") {
      known?.acknowledged();
      if (!request.defect) deps.onRequest(request, null, flow);
      return;
    }
    if (known) return known.repeated();
    const transaction = startServerTransaction({ clock, onDone: () => servers.delete(key) }, flow, request);
    if (servers.size >= MAX_SERVER_TRANSACTIONS) {
      const busy = responseTo(request, 503, "Service Unavailable", { tag: deps.newToken() });
      void flow.send(busy).catch(() => undefined);
      return transaction.stop();
    }
    servers.set(key, transaction);
    if (request.defect) {
      const { status, reason } = request.defect;
      return transaction.respond(responseTo(request, status, reason, { tag: deps.newToken() }));
    }
    deps.onRequest(request, transaction, flow);
  }

  return {
    request(flow, request, listener, branch = `${MAGIC_COOKIE}${deps.newToken()}`) {
      const sent = { ...request, headers: [viaFor(flow, branch), ...request.headers] };
      const key = `${branch} ${request.method}`;
      const transaction = startClientTransaction(
        { clock, onDone: () => clients.delete(key) },
        flow,
        sent,
        listener,
      );
      clients.set(key, transaction);
      return transaction;
    },
    received(message, flow) {
      if (message.kind === "request") return receivedRequest(message, flow);
      const branch = parseVia(header(message, "via"))?.params.get("branch");
      clients.get(`${branch} ${cseqOf(message)?.method}`)?.received(message);
    },
    inviteOf: (cancel) => servers.get(serverKey(cancel, "INVITE")),
    get size() {
      return clients.size + servers.size;
    },
    stop() {
      for (const transaction of [...clients.values(), ...servers.values()]) transaction.stop();
    },
  };
}

/** Its way back: what its topmost Via says of it may not be what we see. */
function fromThere(request: SipRequest, { remote }: SipFlow): SipRequest {
  const at = request.headers.findIndex(({ name }) => name === "via");
  const headers = request.headers.with(at, {
    name: "via",
    value: withSource(request.headers[at]!.value, remote),
  });
  return { ...request, headers };
}

/** @param token the branch; without the cookie, it is put before */
export function viaFor({ protocol, local }: SipFlow, token: string): SipHeader {
  const branch = token.startsWith(MAGIC_COOKIE) ? token : `${MAGIC_COOKIE}${token}`;
  const sentBy = `${hostText(local.address)}:${local.port}`;
  return { name: "via", value: `SIP/2.0/${protocol.toUpperCase()} ${sentBy};branch=${branch};rport` };
}

/** RFC 3261, 17.2.3; without the magic cookie by what RFC 2543 had instead. */
function serverKey(request: SipRequest, method: string): string {
  const via = parseVia(header(request, "via"));
  const branch = via?.params.get("branch") ?? "";
  // The cookie alone tells nobody apart (RFC 4475, 3.2.1).
  if (branch.startsWith(MAGIC_COOKIE) && branch !== MAGIC_COOKIE) {
    return `${branch} ${via!.host.toLowerCase()}:${via!.port ?? ""} ${method}`;
  }
  const parts = [
    request.uri,
    header(request, "call-id"),
    tagOf(header(request, "from")),
    cseqOf(request)?.number,
    header(request, "via"),
  ];
  return `${parts.join(" ")} ${method}`;
}

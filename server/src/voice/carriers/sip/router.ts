import { tagOf } from "./address.ts";
import { contactOf, type Dialog } from "./dialog.ts";
import type { SipFlow } from "./flow.ts";
import { ALLOW } from "./invite-attempt.ts";
import { header, headerList, responseTo, type SipRequest } from "./message.ts";
import type { ServerTransaction } from "./server-transaction.ts";

export type DialogHandler = (request: SipRequest, transaction: ServerTransaction | null) => void;

/** Brings requests to the calls they belong to, and answers the rest. */
export interface Router {
  onRequest(request: SipRequest, transaction: ServerTransaction | null, flow: SipFlow): void;
  /** @returns takes it out again */
  addDialog(dialog: Pick<Dialog, "callId" | "localTag" | "remoteTag">, handler: DialogHandler): () => void;
  /** Who is told when an INVITE that isn't answered yet is canceled. @returns takes it out again */
  addRinging(transaction: ServerTransaction, onCancel: () => void): () => void;
}

export interface RouterOptions {
  newToken(): string;
  inviteOf(cancel: SipRequest): ServerTransaction | undefined;
  /** An INVITE that begins a call. */
  onInvite(request: SipRequest, transaction: ServerTransaction): void;
}

const IN_DIALOG = ["BYE", "UPDATE", "INFO"];

export function createRouter(options: RouterOptions): Router {
  const dialogs = new Map<string, DialogHandler>();
  const ringing = new Map<ServerTransaction, () => void>();
  const keyOf = (callId: string, localTag: string, remoteTag: string) => `${callId} ${localTag} ${remoteTag}`;

  const answer = (
    request: SipRequest,
    transaction: ServerTransaction,
    status: number,
    reason: string,
    headers: { name: string; value: string }[] = [],
  ) => transaction.respond(responseTo(request, status, reason, { tag: options.newToken(), headers }));

  function canceled(request: SipRequest, transaction: ServerTransaction) {
    const invite = options.inviteOf(request);
    if (!invite) return answer(request, transaction, 481, "Call Does Not Exist");
    answer(request, transaction, 200, "OK");
    if (invite.isAnswered()) return;
    ringing.get(invite)?.();
    invite.respond(responseTo(invite.request, 487, "Request Terminated", { tag: options.newToken() }));
  }

  /** The same request on two ways (RFC 3261, 8.2.2.2). */
  function isMerged(request: SipRequest, transaction: ServerTransaction): boolean {
    const same = (name: string, other: SipRequest) => header(other, name) === header(request, name);
    return [...ringing.keys()].some(
      (other) =>
        other !== transaction &&
        same("call-id", other.request) &&
        same("cseq", other.request) &&
        tagOf(header(other.request, "from")) === tagOf(header(request, "from")),
    );
  }

  return {
    onRequest(request, transaction, flow) {
      const localTag = tagOf(header(request, "to"));
      const remoteTag = tagOf(header(request, "from")) ?? "";
      if (request.method === "CANCEL" && transaction) return canceled(request, transaction);
      const unsupported = request.method === "BYE" ? [] : headerList(request, "require");
      if (transaction && unsupported.length > 0) {
        const headers = [{ name: "unsupported", value: unsupported.join(", ") }];
        return answer(request, transaction, 420, "Bad Extension", headers);
      }
      if (localTag !== null) {
        const handler = dialogs.get(keyOf(header(request, "call-id")!, localTag, remoteTag));
        if (handler) return handler(request, transaction);
      }
      if (!transaction) return;
      if (request.method === "OPTIONS") {
        return answer(request, transaction, 200, "OK", [
          { name: "contact", value: contactOf(flow) },
          { name: "allow", value: ALLOW },
          { name: "accept", value: "application/sdp" },
        ]);
      }
      if (localTag !== null || IN_DIALOG.includes(request.method))
        return answer(request, transaction, 481, "Call Does Not Exist");
      if (request.method !== "INVITE")
        return answer(request, transaction, 405, "Method Not Allowed", [{ name: "allow", value: ALLOW }]);
      if (isMerged(request, transaction)) return answer(request, transaction, 482, "Loop Detected");
      options.onInvite(request, transaction);
    },
    addDialog({ callId, localTag, remoteTag }, handler) {
      const key = keyOf(callId, localTag, remoteTag);
      dialogs.set(key, handler);
      return () => void dialogs.delete(key);
    },
    addRinging(transaction, onCancel) {
      ringing.set(transaction, onCancel);
      return () => void ringing.delete(transaction);
    },
  };
}

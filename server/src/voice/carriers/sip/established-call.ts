import { contactOf, type Dialog } from "./dialog.ts";
import type { Credentials } from "./digest.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { answerInvite, type InviteAnswer } from "./invite-answer.ts";
import { ALLOW, sendBye } from "./invite-attempt.ts";
import { cseqOf, responseTo, type SipRequest } from "./message.ts";
import type { Router } from "./router.ts";
import { unacceptable } from "./sdp.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import type { SipMedia } from "./sip-media.ts";

/** A call that is answered: what either side still does in it. */
export interface EstablishedCall {
  /** Sends BYE. Resolves when that has been answered, or given up. Idempotent. */
  hangup(): Promise<void>;
}

export interface EstablishedCallOptions {
  endpoint: SipEndpoint;
  router: Pick<Router, "addDialog">;
  dialog: Dialog;
  credentials: Credentials | null;
  media: SipMedia;
  /** The other side has hung up, or has gone. Called once, unless we hung up first. */
  onEnded(cause: "remote_hangup" | "failed"): void;
  /** The ACK of the INVITE that began the call, where we have answered it. */
  onAck?(ack: SipRequest): void;
}

export function createEstablishedCall(options: EstablishedCallOptions): EstablishedCall {
  const { endpoint, dialog, media } = options;
  const removeDialog = options.router.addDialog(dialog, received);
  let ending: Promise<void> | undefined;
  let isOver = false;
  let answer: { cseq: number; pending: InviteAnswer } | null = null;

  const close = () => {
    isOver = true;
    answer?.pending.stop();
    media.close();
  };

  function received(request: SipRequest, transaction: ServerTransaction | null) {
    if (request.method === "ACK") {
      if (answer?.cseq === cseqOf(request)?.number) answer?.pending.acknowledged(request);
      else options.onAck?.(request);
      return;
    }
    if (!transaction) return;
    const reply = (status: number, reason: string, body?: string) =>
      transaction.respond(
        responseTo(request, status, reason, {
          headers: [
            { name: "contact", value: contactOf(transaction.flow) },
            { name: "allow", value: ALLOW },
          ],
          ...(body === undefined ? {} : { body }),
        }),
      );
    if (!dialog.isInOrder(request)) return reply(500, "CSeq Out Of Order");
    switch (request.method) {
      case "BYE":
        reply(200, "OK");
        if (isOver) return;
        close();
        removeDialog();
        return options.onEnded("remote_hangup");
      case "INVITE":
        return reinvited(request, transaction);
      case "UPDATE": {
        const answered = request.body.length > 0 ? media.answer(request.body.toString()) : undefined;
        if (answered === null) return reply(488, "Not Acceptable Here");
        dialog.refreshTarget(request);
        return reply(200, "OK", answered);
      }
      case "INFO":
      case "OPTIONS":
        return reply(200, "OK");
      default:
        return reply(405, "Method Not Allowed");
    }
  }

  /** Hold, another address for the audio, or only a sign of life. */
  function reinvited(request: SipRequest, transaction: ServerTransaction) {
    const refuse = (status: number, reason: string) =>
      transaction.respond(
        responseTo(request, status, reason, { headers: [{ name: "accept", value: "application/sdp" }] }),
      );
    if (isOver) return refuse(481, "Call Does Not Exist");
    const isOffer = request.body.length > 0;
    const why = unacceptable(request);
    if (why) return refuse(...why);
    const body = isOffer ? media.answer(request.body.toString()) : media.offer();
    if (body === null) return refuse(488, "Not Acceptable Here");
    dialog.refreshTarget(request);
    const headers = [
      { name: "contact", value: contactOf(transaction.flow) },
      { name: "allow", value: ALLOW },
    ];
    answer?.pending.stop();
    const pending = answerInvite(endpoint, transaction, responseTo(request, 200, "OK", { headers, body }), {
      onAcknowledged(ack) {
        if (!isOffer && ack.body.length > 0) media.accept(ack.body.toString());
      },
      onUnacknowledged() {
        void lost();
      },
    });
    answer = { cseq: cseqOf(request)!.number, pending };
  }

  /** It doesn't acknowledge what it asked for: it has gone, and is told so in case it hasn't. */
  async function lost(): Promise<void> {
    if (isOver) return;
    const over = hangup();
    options.onEnded("failed");
    await over;
  }

  function hangup(): Promise<void> {
    if (isOver) return ending ?? Promise.resolve();
    close();
    ending = sendBye(options, dialog).finally(removeDialog);
    return ending;
  }

  return { hangup };
}

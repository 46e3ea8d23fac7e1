import { tagOf } from "./address.ts";
import type { ClientTransaction } from "./client-transaction.ts";
import { contactOf, type Dialog, dialogOfAnswer } from "./dialog.ts";
import type { Credentials } from "./digest.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { createAuthorizer, exchange } from "./exchange.ts";
import type { SipFlow } from "./flow.ts";
import {
  cseqOf,
  header,
  headersNamed,
  type SipHeader,
  type SipRequest,
  type SipResponse,
} from "./message.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import { createTimers, TRANSACTION_MS } from "./timers.ts";
import { parseVia } from "./via.ts";

/** One INVITE at one trunk, from its first sending to its last answer. */
export interface InviteAttempt {
  /** Resolves when it is on its way; rejects when it can't be sent. */
  readonly sent: Promise<void>;
  /** Nobody wants it any more. CANCEL is sent as soon as it may be; an answer that crosses it is ended. Silent from here on. */
  cancel(): void;
  /** Resolves when nothing of it is under way any more. */
  readonly settled: Promise<void>;
}

export interface InviteListener {
  onProvisional(status: number): void;
  /** It is acknowledged. `sdp` is the answer to the offer: this one's, or what its ringing had told. */
  onAnswered(dialog: Dialog, sdp: string): void;
  /** `status` null: silence, or a network that couldn't be reached. */
  onFailed(status: number | null, retryAfterMs: number | null): void;
}

export interface InviteOptions {
  endpoint: SipEndpoint;
  resolve: ResolveTarget;
  flow: SipFlow;
  uri: string;
  /** From and To, without tags. */
  from: string;
  to: string;
  callId: string;
  offer: string;
  credentials: Credentials | null;
}

export const ALLOW = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO";
/** What a server may ask us to keep away from it. */
const MAX_RETRY_AFTER_S = 3_600;

export function startInvite(options: InviteOptions, listener: InviteListener): InviteAttempt {
  const { endpoint, flow, credentials } = options;
  const authorizer = createAuthorizer(credentials, endpoint.newToken);
  const timers = createTimers(endpoint.clock);
  const localTag = endpoint.newToken();
  /** By the tag of who rings or answers: an INVITE may reach several. */
  const ringing = new Map<string, string>();
  const acknowledged = new Map<string, { dialog: Dialog; ack: SipRequest }>();
  const endings: Promise<unknown>[] = [];
  let cseq = 0;
  let transaction: ClientTransaction;
  let state: "calling" | "answered" | "over" = "calling";
  let hasProvisional = false;
  let isCanceled = false;
  let isCancelSent = false;
  /** The answer has been told. */
  let isTold = false;
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => (settle = resolve));

  const send = (headers: readonly SipHeader[]) => {
    hasProvisional = false;
    cseq++;
    transaction = endpoint.request(flow, inviteOf(options, localTag, cseq, headers), {
      onResponse: received,
      onFailed: () => finish(() => listener.onFailed(null, null)),
    });
    return transaction.sent;
  };

  /** Tells how it ended, unless nobody wants to know any more. */
  function finish(tell: () => void): void {
    timers.stop();
    const isFirst = state === "calling";
    state = "over";
    if (isFirst && !isCanceled) tell();
    void Promise.allSettled(endings).then(settle);
  }

  function received(response: SipResponse) {
    const { status } = response;
    if (status < 200) {
      hasProvisional = true;
      if (isCanceled) return sendCancel();
      const tag = tagOf(header(response, "to")) ?? "";
      if (status > 100 && response.body.length > 0) ringing.set(tag, response.body.toString());
      if (state === "calling") listener.onProvisional(status);
      return;
    }
    if (status < 300) return accepted(response);
    if (state !== "calling") return;
    const authorization = isCanceled ? null : authorizer.answer(transaction.request, response);
    if (authorization) return void send(authorization).catch(() => undefined);
    finish(() => listener.onFailed(status, retryAfterOf(response)));
  }

  function accepted(response: SipResponse): void {
    const tag = tagOf(header(response, "to")) ?? "";
    const known = acknowledged.get(tag);
    // Its ACK was lost.
    if (known) return void transmit(known.dialog, known.ack);
    const dialog = dialogOfAnswer(options, transaction.request, response, flow);
    if (!dialog) return;
    const ack = withCredentials(dialog.ack(cseqOf(response)!.number), transaction.request);
    acknowledged.set(tag, { dialog, ack });
    const acking = transmit(dialog, ack);
    const sdp = response.body.length > 0 ? response.body.toString() : ringing.get(tag);
    if (isCanceled || state !== "calling" || sdp === undefined) {
      // Somebody else has answered before, or nobody listens any more.
      endings.push(acking.then(() => sendBye(options, dialog)));
      if (state === "calling") finish(() => listener.onFailed(null, null));
      return;
    }
    timers.stop();
    state = "answered";
    // The far side first: what the answer sets off here takes its time.
    void acking.then(() => {
      isTold = true;
      if (isCanceled) endings.push(sendBye(options, dialog));
      else listener.onAnswered(dialog, sdp);
      void Promise.allSettled(endings).then(settle);
    });
  }

  function sendCancel(): void {
    if (isCancelSent) return;
    isCancelSent = true;
    const { request } = transaction;
    const branch = parseVia(header(request, "via"))!.params.get("branch")!;
    endpoint.request(
      flow,
      cancelOf(request),
      { onResponse: () => undefined, onFailed: () => undefined },
      branch,
    );
    // One that answers CANCEL and never the INVITE.
    timers.after(TRANSACTION_MS, () => {
      transaction.stop();
      finish(() => undefined);
    });
  }

  return {
    sent: send([]),
    settled,
    cancel() {
      if (isCanceled || state === "over" || isTold) return;
      isCanceled = true;
      if (state === "calling" && hasProvisional) sendCancel();
    },
  };
}

function inviteOf(
  options: InviteOptions,
  localTag: string,
  cseq: number,
  headers: readonly SipHeader[],
): SipRequest {
  return {
    kind: "request",
    method: "INVITE",
    uri: options.uri,
    headers: [
      { name: "max-forwards", value: "70" },
      { name: "from", value: `${options.from};tag=${localTag}` },
      { name: "to", value: options.to },
      { name: "call-id", value: options.callId },
      { name: "cseq", value: `${cseq} INVITE` },
      { name: "contact", value: contactOf(options.flow) },
      { name: "allow", value: ALLOW },
      { name: "user-agent", value: "Outreach" },
      ...headers,
      { name: "content-type", value: "application/sdp" },
    ],
    body: Buffer.from(options.offer),
  };
}

function cancelOf(invite: SipRequest): SipRequest {
  const kept = ["route", "from", "to", "call-id", "max-forwards"];
  return {
    kind: "request",
    method: "CANCEL",
    uri: invite.uri,
    headers: [
      ...invite.headers.filter(({ name }) => kept.includes(name)),
      { name: "cseq", value: `${cseqOf(invite)!.number} CANCEL` },
    ],
    body: Buffer.alloc(0),
  };
}

/** RFC 3261, 22.1: nobody can challenge an ACK. */
function withCredentials(ack: SipRequest, invite: SipRequest): SipRequest {
  const told = invite.headers.filter(({ name }) => ["authorization", "proxy-authorization"].includes(name));
  return { ...ack, headers: [...ack.headers, ...told] };
}

async function transmit(dialog: Dialog, ack: SipRequest): Promise<void> {
  // One that is lost is asked for again.
  await dialog.send(ack).catch(() => undefined);
}

/** Ends an answered call. Resolves when that is known there, or nobody can be told. */
export async function sendBye(
  { endpoint, credentials }: Pick<InviteOptions, "endpoint" | "credentials">,
  dialog: Dialog,
): Promise<void> {
  try {
    const flow = await dialog.flow();
    await exchange(endpoint, flow, (headers) => dialog.request("BYE", { headers }), credentials);
  } catch {
    // The way there is gone, and the call with it.
  }
}

function retryAfterOf(response: SipResponse): number | null {
  if (response.status !== 503) return null;
  const seconds = Number(/^\d{1,9}/.exec(headersNamed(response, "retry-after")[0] ?? "")?.[0]);
  return Number.isNaN(seconds) ? null : Math.min(seconds, MAX_RETRY_AFTER_S) * 1_000;
}

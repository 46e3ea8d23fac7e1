import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { tagOf } from "../../voice/carriers/sip/address.ts";
import { contactOf, type Dialog, dialogOfInvite } from "../../voice/carriers/sip/dialog.ts";
import { openEndpoint, type SipEndpoint } from "../../voice/carriers/sip/endpoint.ts";
import { exchange } from "../../voice/carriers/sip/exchange.ts";
import type { SipFlow } from "../../voice/carriers/sip/flow.ts";
import { header, responseTo, type SipHeader, type SipRequest } from "../../voice/carriers/sip/message.ts";
import { resolveTarget } from "../../voice/carriers/sip/resolve-target.ts";
import type { ServerTransaction } from "../../voice/carriers/sip/server-transaction.ts";
import { openSipMedia, type SipMedia } from "../../voice/carriers/sip/sip-media.ts";
import { FRAME_SAMPLES } from "../../voice/media/media-leg.ts";
import type { RtpPorts } from "../../voice/media/rtp-ports.ts";

/** A call as the fake trunk sees it. */
export interface TrunkCall {
  readonly invite: SipRequest;
  readonly media: SipMedia;
  /** Answers the INVITE. A 200 brings our audio. */
  respond(status: number, reason?: string, headers?: SipHeader[]): void;
  /** Ends the answered call from this side. */
  bye(): Promise<void>;
  /** Sends a request within the call. @returns the status of its answer */
  request(method: string, body?: string, headers?: readonly SipHeader[]): Promise<number>;
  /** How many frames came that weren't silent. */
  loudFrames(): number;
}

export interface FakeTrunk {
  readonly port: number;
  /** Everything that came, in its order: `INVITE`, `ACK`, `CANCEL`, … */
  readonly received: SipRequest[];
  methods(): string[];
  /** How many datagrams came, also those that only came again. */
  datagrams(): number;
  readonly calls: TrunkCall[];
  /** 20 ms of everybody's voice. */
  tick(): void;
  endpoint: SipEndpoint;
  close(): Promise<void>;
}

/** A SIP server that does as it is told for each INVITE: the far side of the carrier's tests. */
export async function fakeTrunk(options: {
  clock: Clock;
  ports: RtpPorts;
  /** Says nothing, where it otherwise hums. */
  silent?: boolean;
  onInvite(call: TrunkCall): void;
  onCancel?(call: TrunkCall): void;
}): Promise<FakeTrunk> {
  const { clock, ports } = options;
  const newToken = () => randomBytes(8).toString("hex");
  const received: SipRequest[] = [];
  let datagrams = 0;
  const calls = new Map<string, TrunkCall & { tick(): void }>();

  async function invited(request: SipRequest, transaction: ServerTransaction, flow: SipFlow) {
    const media = await openSipMedia({
      ports,
      localAddress: "127.0.0.1",
      advertisedAddress: "127.0.0.1",
      sessionId: 1,
      isProtected: false,
      now: clock.now,
    });
    const tag = newToken();
    let dialog: Dialog | null = null;
    let loudFrames = 0;
    const voice = Int16Array.from(
      { length: FRAME_SAMPLES },
      (_, at) => (options.silent ? 0 : 8_000) * Math.sin((2 * Math.PI * 500 * at) / 8_000),
    );
    const made: TrunkCall & { tick(): void } = {
      invite: request,
      media,
      respond(status, reason = "Said", headers = []) {
        const body = status === 200 || status === 183 ? (media.answer(request.body.toString()) ?? "") : "";
        dialog ??= dialogOfInvite({ endpoint, resolve: resolveTarget }, request, tag, flow);
        const contact = { name: "contact", value: contactOf(flow) };
        transaction.respond(
          responseTo(request, status, reason, { tag, headers: [contact, ...headers], body }),
        );
      },
      async bye() {
        await this.request("BYE");
        media.close();
      },
      async request(method, body = "", more = []) {
        const response = await exchange(
          endpoint,
          await dialog!.flow(),
          (headers) => dialog!.request(method, { headers: [...headers, ...more], body }),
          null,
        );
        if (typeof response !== "string" && method === "INVITE") {
          await dialog!.send(dialog!.ack(Number.parseInt(header(response, "cseq")!, 10)));
        }
        return typeof response === "string" ? 0 : response.status;
      },
      loudFrames: () => loudFrames,
      tick() {
        const heard = media.leg.receive();
        if (heard?.samples.some((sample) => Math.abs(sample) > 1_000)) loudFrames++;
        media.leg.send(voice);
      },
    };
    calls.set(header(request, "call-id")!, made);
    options.onInvite(made);
  }

  const endpoint: SipEndpoint = await openEndpoint({
    clock,
    newToken,
    bind: { address: "127.0.0.1", port: 0 },
    advertisedAddress: null,
    listens: true,
    onReceived: () => void datagrams++,
    onError(error) {
      throw error;
    },
    onRequest(request, transaction, flow) {
      received.push(request);
      const call = calls.get(header(request, "call-id")!);
      if (!transaction) return;
      if (request.method === "INVITE" && tagOf(header(request, "to")) === null)
        return void invited(request, transaction, flow);
      transaction.respond(responseTo(request, 200, "OK", { tag: newToken() }));
      if (request.method === "BYE") call?.media.close();
      if (request.method === "CANCEL" && call) {
        if (options.onCancel) options.onCancel(call);
        else call.respond(487, "Request Terminated");
      }
    },
  });

  return {
    port: endpoint.port,
    received,
    datagrams: () => datagrams,
    methods: () => received.map(({ method }) => method),
    get calls() {
      return [...calls.values()];
    },
    tick() {
      for (const call of calls.values()) call.tick();
    },
    endpoint,
    async close() {
      for (const { media } of calls.values()) media.close();
      await endpoint.close();
    },
  };
}

import { dialogOfAnswer } from "../../voice/carriers/sip/dialog.ts";
import { exchange } from "../../voice/carriers/sip/exchange.ts";
import { cseqOf, type SipRequest, type SipResponse } from "../../voice/carriers/sip/message.ts";
import { resolveTarget } from "../../voice/carriers/sip/resolve-target.ts";
import { openSipMedia } from "../../voice/carriers/sip/sip-media.ts";
import { createRtpPorts } from "../../voice/media/rtp-ports.ts";
import type { FakeTrunk } from "./fake-trunk.ts";

/** Calls a number of the service from the fake trunk, as +1 415 555 0123. Speaks and listens until `bye`. */
export async function placeCall(
  { endpoint }: FakeTrunk,
  port: number,
  number: string,
): Promise<{ status: number; loudFrames(): number; bye(): Promise<void> }> {
  const flow = await endpoint.flowTo({ protocol: "udp", address: "127.0.0.1", port, serverName: "" });
  const media = await openSipMedia({
    ports: createRtpPorts({ from: 44_000, to: 44_099 }),
    localAddress: "127.0.0.1",
    advertisedAddress: "127.0.0.1",
    sessionId: 2,
    isProtected: false,
  });
  const invite: SipRequest = {
    kind: "request",
    method: "INVITE",
    uri: `sip:${number}@127.0.0.1:${port}`,
    headers: [
      { name: "from", value: `<sip:+14155550123@127.0.0.1>;tag=${endpoint.newToken()}` },
      { name: "to", value: `<sip:${number}@127.0.0.1>` },
      { name: "call-id", value: endpoint.newToken() },
      { name: "cseq", value: "1 INVITE" },
      { name: "contact", value: `<sip:caller@127.0.0.1:${endpoint.port}>` },
      { name: "content-type", value: "application/sdp" },
    ],
    body: Buffer.from(media.offer()),
  };
  const final = await new Promise<SipResponse | null>((resolve) => {
    endpoint.request(flow, invite, {
      onResponse: (response) => response.status >= 200 && resolve(response),
      onFailed: () => resolve(null),
    });
  });
  if (final === null || final.status >= 300) {
    media.close();
    return { status: final?.status ?? 0, loudFrames: () => 0, bye: async () => undefined };
  }
  const dialog = dialogOfAnswer({ endpoint, resolve: resolveTarget }, invite, final, flow)!;
  media.accept(final.body.toString());
  await dialog.send(dialog.ack(cseqOf(final)!.number));
  let loudFrames = 0;
  const ticking = setInterval(() => {
    media.leg.send(new Int16Array(160));
    if (media.leg.receive()?.samples.some((sample) => Math.abs(sample) > 500)) loudFrames++;
  }, 20);
  return {
    status: final.status,
    loudFrames: () => loudFrames,
    async bye() {
      clearInterval(ticking);
      await exchange(endpoint, flow, (headers) => dialog.request("BYE", { headers }), null);
      media.close();
    },
  };
}

import { hostText } from "./address.ts";
import { contactOf } from "./dialog.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { exchange } from "./exchange.ts";
import type { SipFlow } from "./flow.ts";
import { header, headerList, type SipHeader, type SipRequest, type SipResponse } from "./message.ts";
import type { Trunk } from "./trunk.ts";

/** Requests to a trunk that belong to no call: each has a Call-ID and CSeqs of its own. */
export interface TrunkRequests {
  /** Are you there? */
  options(): Promise<SipResponse | "timeout" | "transport">;
  /**
   * Here we are, for so many seconds (0: no longer).
   * @returns for how long it believes us, milliseconds; null when it refuses
   */
  register(seconds: number): Promise<number | null>;
}

export function createTrunkRequests(
  endpoint: Pick<SipEndpoint, "request" | "newToken">,
  trunk: Trunk,
  flow: SipFlow,
): TrunkRequests {
  const host = `${hostText(trunk.host)}${trunk.port === null ? "" : `:${trunk.port}`}`;
  const local = hostText(flow.local.address);
  const callId = `${endpoint.newToken()}@${local}`;
  let cseq = 0;
  const build = (
    method: string,
    ends: { from: string; to: string },
    more: readonly SipHeader[],
  ): SipRequest => ({
    kind: "request",
    method,
    uri: `sip:${host}`,
    headers: [
      { name: "max-forwards", value: "70" },
      { name: "from", value: `<${ends.from}>;tag=${endpoint.newToken()}` },
      { name: "to", value: `<${ends.to}>` },
      { name: "call-id", value: callId },
      { name: "cseq", value: `${++cseq} ${method}` },
      { name: "contact", value: contactOf(flow) },
      { name: "user-agent", value: "Outreach" },
      ...more,
    ],
    body: Buffer.alloc(0),
  });
  return {
    options: () =>
      exchange(
        endpoint,
        flow,
        (headers) =>
          build("OPTIONS", { from: `sip:outreach@${local}`, to: `sip:${host}` }, [
            { name: "accept", value: "application/sdp" },
            ...headers,
          ]),
        trunk.credentials,
      ),
    async register(seconds) {
      const address = `sip:${encodeURIComponent(trunk.credentials?.username ?? "outreach")}@${host}`;
      const response = await exchange(
        endpoint,
        flow,
        (headers) =>
          build("REGISTER", { from: address, to: address }, [
            { name: "expires", value: String(seconds) },
            ...headers,
          ]),
        trunk.credentials,
      );
      if (typeof response === "string" || response.status >= 300) return null;
      const told = [
        ...headerList(response, "contact").map((value) => /;\s*expires=(\d{1,7})/i.exec(value)?.[1]),
        header(response, "expires"),
      ].find((value) => value !== undefined);
      return (told === undefined ? seconds : Math.min(Number(told), seconds)) * 1_000;
    },
  };
}

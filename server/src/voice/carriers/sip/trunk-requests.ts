import { hostText, parseNameAddress, parseUri } from "./address.ts";
import { contactOf } from "./dialog.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { exchange } from "./exchange.ts";
import type { SipFlow } from "./flow.ts";
import { header, headerList, type SipHeader, type SipRequest, type SipResponse } from "./message.ts";
import type { Trunk } from "./trunk.ts";

type Answer = SipResponse | "timeout" | "transport";

/** For how long a registrar believes us, milliseconds; or what it said instead (null: nothing). */
export type Registered = { forMs: number } | { status: number | null };

/** Requests to a trunk that belong to no call: all under one Call-ID, each with a CSeq of its own. */
export interface TrunkRequests {
  /** Are you there? */
  options(flow: SipFlow): Promise<Answer>;
  /** Here we are, for so many seconds (0: no longer). Asked for longer (423), it is asked for longer. */
  register(flow: SipFlow, seconds: number): Promise<Registered>;
  /** Who is registered? Changes nothing (RFC 3261, 10.2.3), and needs the same password. */
  registered(flow: SipFlow): Promise<Answer>;
}

const INTERVAL_TOO_BRIEF = 423;
/** What a registrar may ask of us in the place of a shorter time. */
const LONGEST_S = 86_400;

export function createTrunkRequests(
  endpoint: Pick<SipEndpoint, "request" | "newToken">,
  trunk: Trunk,
): TrunkRequests {
  const host = `${hostText(trunk.host)}${trunk.port === null ? "" : `:${trunk.port}`}`;
  const us = `sip:${encodeURIComponent(trunk.credentials?.username ?? "outreach")}@${host}`;
  const callId = endpoint.newToken();
  let cseq = 0;
  const send = (flow: SipFlow, method: string, ends: { from: string; to: string }, more: SipHeader[]) =>
    exchange(
      endpoint,
      flow,
      (credentials): SipRequest => ({
        kind: "request",
        method,
        uri: `sip:${host}`,
        headers: [
          { name: "max-forwards", value: "70" },
          { name: "from", value: `<${ends.from}>;tag=${endpoint.newToken()}` },
          { name: "to", value: `<${ends.to}>` },
          { name: "call-id", value: callId },
          { name: "cseq", value: `${++cseq} ${method}` },
          { name: "user-agent", value: "Outreach" },
          ...more,
          ...credentials,
        ],
        body: Buffer.alloc(0),
      }),
      trunk.credentials,
    );
  const bind = (flow: SipFlow, seconds: number) =>
    send(flow, "REGISTER", { from: us, to: us }, [
      { name: "contact", value: contactOf(flow) },
      { name: "expires", value: String(seconds) },
    ]);
  return {
    options: (flow) =>
      send(flow, "OPTIONS", { from: `sip:outreach@${hostText(flow.local.address)}`, to: `sip:${host}` }, [
        { name: "contact", value: contactOf(flow) },
        { name: "accept", value: "application/sdp" },
      ]),
    async register(flow, seconds) {
      let asked = seconds;
      let answer = await bind(flow, asked);
      if (typeof answer !== "string" && answer.status === INTERVAL_TOO_BRIEF && seconds > 0) {
        const least = Number(header(answer, "min-expires"));
        if (least > asked && least <= LONGEST_S) {
          asked = least;
          answer = await bind(flow, asked);
        }
      }
      if (typeof answer === "string") return { status: null };
      if (answer.status >= 300) return { status: answer.status };
      return { forMs: Math.min(grantedSeconds(answer, flow) ?? asked, asked) * 1_000 };
    },
    registered: (flow) => send(flow, "REGISTER", { from: us, to: us }, []),
  };
}

/** Of our own binding: the answer lists those of others too (RFC 3261, 10.2.4). Null when it tells nothing. */
function grantedSeconds(answer: SipResponse, { local }: SipFlow): number | null {
  const bindings = headerList(answer, "contact").flatMap((value) => parseNameAddress(value) ?? []);
  const ours = bindings.find((binding) => {
    const uri = parseUri(binding.uri);
    return uri?.host === local.address && uri.port === local.port;
  });
  const told = [ours, bindings.length === 1 ? bindings[0] : undefined]
    .map((binding) => binding?.params.get("expires"))
    .concat(header(answer, "expires"))
    .find((value) => /^\d{1,9}$/.test(value ?? ""));
  return told === undefined ? null : Number(told);
}

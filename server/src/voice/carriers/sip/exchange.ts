import { authorize, type Credentials, chooseChallenge } from "./digest.ts";
import type { SipEndpoint } from "./endpoint.ts";
import type { SipFlow } from "./flow.ts";
import { headersNamed, type SipHeader, type SipRequest, type SipResponse } from "./message.ts";

/** A first answer, and one more when the server's nonce had grown old. */
const MAX_ANSWERS = 2;

/** Answers the challenges to one request and its repetitions. */
export interface Authorizer {
  /** @returns the header to send the request again with; null when the answer is no challenge, or can't be met */
  answer(request: Pick<SipRequest, "method" | "uri">, response: SipResponse): SipHeader | null;
}

export function createAuthorizer(credentials: Credentials | null, newToken: () => string): Authorizer {
  let answered = 0;
  return {
    answer(request, response) {
      const asked = { 401: "www-authenticate", 407: "proxy-authenticate" }[response.status];
      if (asked === undefined || credentials === null || answered >= MAX_ANSWERS) return null;
      const challenge = chooseChallenge(headersNamed(response, asked));
      // The same again means that it doesn't believe us.
      if (!challenge || (answered > 0 && !challenge.stale)) return null;
      answered++;
      return {
        name: asked === "www-authenticate" ? "authorization" : "proxy-authorization",
        value: authorize(challenge, credentials, request, { cnonce: newToken(), count: 1 }),
      };
    },
  };
}

/**
 * Sends a request that isn't an INVITE, and answers a challenge.
 * @param build the request, each time with a CSeq of its own, and with these headers
 * @returns the final answer, or why there was none
 */
export function exchange(
  endpoint: Pick<SipEndpoint, "request" | "newToken">,
  flow: SipFlow,
  build: (headers: readonly SipHeader[]) => SipRequest,
  credentials: Credentials | null,
): Promise<SipResponse | "timeout" | "transport"> {
  const authorizer = createAuthorizer(credentials, endpoint.newToken);
  return new Promise((resolve) => {
    const send = (headers: readonly SipHeader[]) => {
      const request = build(headers);
      endpoint.request(flow, request, {
        onResponse(response) {
          if (response.status < 200) return;
          const authorization = authorizer.answer(request, response);
          if (authorization) send([authorization]);
          else resolve(response);
        },
        onFailed: resolve,
      });
    };
    send([]);
  });
}

import { authorize, type Challenge, type Credentials, chooseChallenge } from "./digest.ts";
import type { SipEndpoint } from "./endpoint.ts";
import type { SipFlow } from "./flow.ts";
import { headersNamed, type SipHeader, type SipRequest, type SipResponse } from "./message.ts";

/** One for a proxy, one for the server behind it, and one more where a nonce had grown old. */
const MAX_ANSWERS = 3;

/** Answers the challenges to one request and its repetitions. */
export interface Authorizer {
  /** @returns the headers to send the request again with; null when the answer is no challenge, or can't be met */
  answer(request: Pick<SipRequest, "method" | "uri">, response: SipResponse): readonly SipHeader[] | null;
}

export function createAuthorizer(credentials: Credentials | null, newToken: () => string): Authorizer {
  let answers = 0;
  /** By who asked: a proxy may ask, and the server behind it too (RFC 3261, 22.3). */
  const asking = new Map<string, { name: string; challenge: Challenge; uses: number }>();
  return {
    answer(request, response) {
      const asked = { 401: "www-authenticate", 407: "proxy-authenticate" }[response.status];
      if (asked === undefined || credentials === null || answers >= MAX_ANSWERS) return null;
      const challenge = chooseChallenge(headersNamed(response, asked));
      if (!challenge) return null;
      const key = `${asked} ${challenge.realm}`;
      // The same again means that it doesn't believe us.
      if (asking.has(key) && !challenge.stale) return null;
      answers++;
      const name = asked === "www-authenticate" ? "authorization" : "proxy-authorization";
      asking.set(key, { name, challenge, uses: 0 });
      return [...asking.values()].map((each) => ({
        name: each.name,
        value: authorize(each.challenge, credentials, request, { cnonce: newToken(), count: ++each.uses }),
      }));
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
          if (authorization) send(authorization);
          else resolve(response);
        },
        onFailed: resolve,
      });
    };
    send([]);
  });
}

import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams } from "../../http/schema.ts";
import { Offer, OfferAnswer } from "./calls.schema.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { checkAccessToken, connectBrowser } from "./connect-browser.ts";

/** The `connect_url` of a browser call: called by pages, with the call's own token. */
export function connectRoute(deps: CallsDeps): RouteDefinition<ApiCaller> {
  return routeFor<ApiCaller>()({
    method: "POST",
    path: "/calls/:id/connect",
    operationId: "connectCall",
    tag: "Calls",
    summary: "Connect a browser with its call",
    description:
      "What `/sdk/voice.js` does: exchanges the offer of an RTCPeerConnection for the answer. Answers pages of any origin. The token is good for one connection.",
    access: "token",
    cors: true,
    params: IdParams,
    body: Offer,
    responses: { 200: { description: "The answer", schema: OfferAnswer } },
    errors: ["voice_provider_unavailable"],
    checkToken: (token, params) => checkAccessToken(deps, String(params.id), token),
    async handle({ params, body, headers }) {
      const token = bearerOf(headers.authorization);
      return { body: { sdp: await connectBrowser(deps, params.id, token, body.sdp), type: "answer" } };
    },
  });
}

/** The token that the guard has checked. */
function bearerOf(header: string | string[] | undefined): string {
  return String(header)
    .replace(/^Bearer[ \t]+/i, "")
    .trim();
}

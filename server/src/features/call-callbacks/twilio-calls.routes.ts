import { Type } from "typebox";
import { DomainError } from "../../domain-error.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor, type SignedRequest } from "../../http/route.ts";
import { isSignedByTwilio } from "../text-callbacks/index.ts";
import type { CallCallbackDeps } from "./call-callback-deps.ts";

const BODY_LIMIT = 64 * 1024;
const TWIML = "text/xml; charset=utf-8";
const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

const TwilioCall = Type.Object(
  {
    CallSid: Type.String(),
    AccountSid: Type.String(),
    CallStatus: Type.String({ description: "`ringing`, `in-progress`, `completed`, `busy`, …" }),
    From: Type.String(),
    To: Type.String(),
  },
  { "x-name": "TwilioCall" },
);

/** Twilio's callbacks about calls: they reach the process that runs the call. */
export function twilioCallRoutes(deps: CallCallbackDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const signed = {
    method: "POST",
    tag: "Carriers",
    access: "signature",
    rawBody: { mediaType: "application/x-www-form-urlencoded", schema: TwilioCall },
    bodyLimit: BODY_LIMIT,
    errors: ["not_found"],
    checkSignature({ headers, body, url }: SignedRequest) {
      const { config } = deps;
      if (!config.twilio || !deps.vendors?.twilio) throw notSetUp();
      const { authToken } = config.twilio;
      const header = headers["x-twilio-signature"];
      const signature = typeof header === "string" ? header : "";
      // The console may name either address.
      const isSigned = [config.voiceUrl, config.public.url].some((base) =>
        isSignedByTwilio({ authToken, url: base + url, form: formOf(body), signature }),
      );
      if (!isSigned)
        throw new DomainError("unauthenticated", "X-Twilio-Signature isn't this request's signature.");
    },
  } as const;
  return [
    route({
      ...signed,
      path: "/callbacks/twilio/calls/:call_id",
      operationId: "takeTwilioCallStatus",
      summary: "Take a call's status from Twilio",
      description:
        "The status callback of a call that this service has placed, signed by `X-Twilio-Signature`. Twilio's other callbacks about a call (recordings, its own answering machine detection) are taken here and left: both are done by this service itself. Not found where the operator hasn't set Twilio up.",
      params: Type.Object({
        call_id: Type.String({ description: "As the call was placed", maxLength: 100 }),
      }),
      responses: { 200: { description: "Taken; TwiML that asks for nothing", mediaType: "text/xml" } },
      async handle({ params, rawBody }) {
        deps.vendors?.twilio?.takeStatus(params.call_id, formOf(rawBody));
        return { body: EMPTY_TWIML, contentType: TWIML };
      },
    }),
    route({
      ...signed,
      path: "/callbacks/twilio/inbound",
      operationId: "takeTwilioCall",
      summary: "Take a call from Twilio",
      description:
        'The "a call comes in" webhook of a Twilio number, and its "call status changes", signed by `X-Twilio-Signature`. The agent that holds the number answers; a number that no agent holds rejects the call. Not found where the operator hasn\'t set Twilio up.',
      responses: { 200: { description: "TwiML: what is done with the call", mediaType: "text/xml" } },
      async handle({ rawBody }) {
        const twiml = await deps.vendors?.twilio?.takeInbound(formOf(rawBody));
        return { body: twiml ?? EMPTY_TWIML, contentType: TWIML };
      },
    }),
  ];
}

function formOf(body: Buffer): URLSearchParams {
  return new URLSearchParams(body.toString("utf8"));
}

function notSetUp(): DomainError {
  return new DomainError("not_found", "This process takes no calls from Twilio.");
}

import { Type } from "typebox";
import { DomainError } from "../../domain-error.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor, type SignedRequest } from "../../http/route.ts";
import { takeText } from "./take-text.ts";
import { isSignedByTelnyx } from "./telnyx-signature.ts";
import type { TextCallbackDeps } from "./text-callback-deps.ts";
import { isSignedByTwilio } from "./twilio-signature.ts";

const BODY_LIMIT = 256 * 1024;
const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

const TwilioText = Type.Object(
  {
    From: Type.String({ description: "Who sent it" }),
    To: Type.String({ description: "The number it was sent to" }),
    Body: Type.String(),
    OptOutType: Type.Optional(Type.String({ description: "`STOP` where Twilio itself took it for one" })),
  },
  { "x-name": "TwilioText" },
);

const TelnyxText = Type.Object(
  {
    data: Type.Object({
      event_type: Type.String({ description: "`message.received`; others are taken and left" }),
      payload: Type.Object({
        from: Type.Object({ phone_number: Type.String() }),
        to: Type.Array(Type.Object({ phone_number: Type.String() })),
        text: Type.String(),
      }),
    }),
  },
  { "x-name": "TelnyxText" },
);

/** Where carriers send the texts that people write. Their signatures are the credential. */
export function textCallbackRoutes(deps: TextCallbackDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const description =
    "A text that asks not to be called or texted again puts its sender on the do-not-call list of the organization that has the number. One to an unknown number is taken and dropped. Not found where the operator hasn't set the carrier up.";
  return [
    route({
      method: "POST",
      path: "/callbacks/twilio/texts",
      operationId: "takeTwilioText",
      tag: "Carriers",
      summary: "Take a text from Twilio",
      description: `The "a message comes in" webhook of a Twilio number, signed by \`X-Twilio-Signature\`. ${description}`,
      access: "signature",
      rawBody: { mediaType: "application/x-www-form-urlencoded", schema: TwilioText },
      bodyLimit: BODY_LIMIT,
      responses: { 200: { description: "Taken; TwiML that asks for nothing", mediaType: "text/xml" } },
      errors: ["not_found"],
      checkSignature({ headers, body, url }) {
        const authToken = deps.config.twilioAuthToken;
        if (authToken === null) throw notSetUp("Twilio");
        const signature = one(headers["x-twilio-signature"]);
        const form = formOf(body);
        if (!isSignedByTwilio({ authToken, url: deps.config.public.url + url, form, signature }))
          throw unsigned("X-Twilio-Signature");
      },
      async handle({ requestId, rawBody }) {
        const form = formOf(rawBody);
        const field = (name: string) => form.get(name) ?? "";
        const isOptOutByCarrier = field("OptOutType").toUpperCase() === "STOP";
        const text = { from: field("From"), to: field("To"), body: field("Body"), isOptOutByCarrier };
        await takeText(deps, { vendor: "twilio", ...text }, requestId);
        return { body: EMPTY_TWIML, contentType: "text/xml; charset=utf-8" };
      },
    }),
    route({
      method: "POST",
      path: "/callbacks/telnyx/texts",
      operationId: "takeTelnyxText",
      tag: "Carriers",
      summary: "Take a text from Telnyx",
      description: `The webhook of a Telnyx messaging profile, signed by \`telnyx-signature-ed25519\` and \`telnyx-timestamp\`. ${description}`,
      access: "signature",
      rawBody: { mediaType: "application/json", schema: TelnyxText },
      bodyLimit: BODY_LIMIT,
      responses: {
        200: { description: "Taken", schema: Type.Object({ received: Type.Boolean() }) },
      },
      errors: ["not_found"],
      checkSignature({ headers, body }) {
        const publicKey = deps.config.telnyxPublicKey;
        if (publicKey === null) throw notSetUp("Telnyx");
        const signature = one(headers["telnyx-signature-ed25519"]);
        const timestamp = one(headers["telnyx-timestamp"]);
        if (!isSignedByTelnyx({ publicKey, timestamp, body, signature, now: deps.clock.now() }))
          throw unsigned("telnyx-signature-ed25519");
      },
      async handle({ requestId, rawBody }) {
        for (const text of textsIn(rawBody)) await takeText(deps, text, requestId);
        return { body: { received: true } };
      },
    }),
  ];
}

/** The texts of a Telnyx event: none where it is about something else. */
function textsIn(body: Buffer): Parameters<typeof takeText>[1][] {
  let event: unknown;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return [];
  }
  const data = member(event, "data");
  if (member(data, "event_type") !== "message.received") return [];
  const payload = member(data, "payload");
  const to = member(payload, "to");
  return (Array.isArray(to) ? to : [to]).map((recipient) => ({
    vendor: "telnyx",
    from: textOf(member(member(payload, "from"), "phone_number")),
    to: textOf(member(recipient, "phone_number")),
    body: textOf(member(payload, "text")),
    isOptOutByCarrier: false,
  }));
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function formOf(body: Buffer): URLSearchParams {
  return new URLSearchParams(body.toString("utf8"));
}

function one(header: SignedRequest["headers"][string]): string {
  return typeof header === "string" ? header : "";
}

function unsigned(header: string): DomainError {
  return new DomainError("unauthenticated", `${header} isn't this request's signature.`);
}

function notSetUp(vendor: string): DomainError {
  return new DomainError("not_found", `This service takes no texts from ${vendor}.`);
}

import { Type } from "typebox";
import { DomainError } from "../../domain-error.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor, type SignedRequest } from "../../http/route.ts";
import { isSignedByTelnyx } from "../text-callbacks/index.ts";
import type { CallCallbackDeps } from "./call-callback-deps.ts";

const BODY_LIMIT = 256 * 1024;

const TelnyxCall = Type.Object(
  {
    data: Type.Object({
      event_type: Type.String({ description: "`call.initiated`, `call.answered`, `call.hangup`, …" }),
      payload: Type.Object({
        call_control_id: Type.String(),
        client_state: Type.Optional(Type.String({ description: "As the call was placed, in base64" })),
        direction: Type.Optional(Type.String({ description: "`incoming`: somebody calls" })),
        from: Type.String(),
        to: Type.String(),
      }),
    }),
  },
  { "x-name": "TelnyxCall" },
);

/** Telnyx's webhooks about calls: they reach the process that runs the call. */
export function telnyxCallRoutes(deps: CallCallbackDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "POST",
      path: "/callbacks/telnyx/calls",
      operationId: "takeTelnyxCall",
      tag: "Carriers",
      summary: "Take an event of a call from Telnyx",
      description:
        "The webhook of a Telnyx voice application, signed by `telnyx-signature-ed25519` and `telnyx-timestamp`. What becomes of the calls that this service has placed is told here, and calls that come in are answered by the agent that holds the number, or rejected. Events about anything else are taken and left. Not found where the operator hasn't set Telnyx up.",
      access: "signature",
      rawBody: { mediaType: "application/json", schema: TelnyxCall },
      bodyLimit: BODY_LIMIT,
      responses: {
        200: { description: "Taken", schema: Type.Object({ received: Type.Boolean() }) },
      },
      errors: ["not_found"],
      checkSignature({ headers, body }) {
        const { telnyx } = deps.config;
        if (!telnyx || !deps.vendors?.telnyx)
          throw new DomainError("not_found", "This process takes no calls from Telnyx.");
        const { publicKey } = telnyx;
        const signature = one(headers["telnyx-signature-ed25519"]);
        const timestamp = one(headers["telnyx-timestamp"]);
        if (!isSignedByTelnyx({ publicKey, timestamp, body, signature, now: deps.clock.now() }))
          throw new DomainError(
            "unauthenticated",
            "telnyx-signature-ed25519 isn't this request's signature.",
          );
      },
      async handle({ rawBody }) {
        // Answered before anything is done about it: who waits for long is asked again.
        deps.vendors?.telnyx?.takeEvent(rawBody.toString("utf8"));
        return { body: { received: true } };
      },
    }),
  ];
}

function one(header: SignedRequest["headers"][string]): string {
  return typeof header === "string" ? header : "";
}

import {
  InboundTextListQuery,
  InboundTextPage,
  listTexts,
  OptOutReading,
  OptOutTest,
  ReceivedText,
  type ReceiveTextDeps,
  receiveText,
  TextReceive,
} from "../features/opt-outs/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { readOptOut } from "../opt-out-rules/index.ts";
import { OrganizationParams } from "./organization-params.ts";

export function optOutsRoutes(deps: ReceiveTextDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "POST",
      path: "/opt-outs/test",
      operationId: "testOptOut",
      tag: "Opt-outs",
      summary: "What the rules make of one utterance; stores nothing",
      access: "operator",
      body: OptOutTest,
      responses: { 200: { description: "Whether it is an opt-out", schema: OptOutReading } },
      async handle({ body }) {
        const { text, channel = "call", speaker = "user" } = body;
        return { body: readOptOut(text, { channel, speaker }) };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:organization_id/texts",
      operationId: "listTexts",
      tag: "Opt-outs",
      summary: "List the texts that people sent, newest first",
      access: "operator",
      params: OrganizationParams,
      query: InboundTextListQuery,
      responses: { 200: { description: "A page of texts", schema: InboundTextPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        return { body: { data: await listTexts(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/texts",
      operationId: "receiveText",
      tag: "Opt-outs",
      summary: "Hand in a text that somebody sent, as a carrier's callback would",
      description:
        "One that asks not to be called or texted again puts its sender on the do-not-call list, with the text as evidence, and makes the lead `do_not_call`, in the transaction that stores the text.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: TextReceive,
      responses: { 201: { description: "The text, and what it was taken for", schema: ReceivedText } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ params, body }) {
        const text = await receiveText(deps, {
          organizationId: params.organization_id,
          from: body.from_number,
          to: body.to_number,
          body: body.body,
        });
        return { status: 201, body: text };
      },
    }),
  ];
}

import type { Config } from "../config.ts";
import {
  addTrunk,
  listTrunks,
  RemovedTrunk,
  removeTrunk,
  TrunkAdd,
  TrunkListQuery,
  TrunkPage,
  TrunkParams,
  TrunkRecord,
  type TrunksDeps,
  TrunkTest,
  testTrunk,
} from "../features/trunks/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";

export function trunksRoutes(
  deps: TrunksDeps & { config: Pick<Config, "sipBind" | "mediaAddress"> },
): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/trunks",
      operationId: "listTrunks",
      tag: "Trunks",
      summary: "List the trunks in the order in which they are tried",
      access: "operator",
      query: TrunkListQuery,
      responses: { 200: { description: "A page of trunks", schema: TrunkPage } },
      errors: ["organization_not_found"],
      async handle({ query }) {
        const page = pageFrom(query);
        return { body: { data: await listTrunks(deps, query.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/trunks",
      operationId: "addTrunk",
      tag: "Trunks",
      summary: "Add a SIP trunk, of one organization or for all",
      access: "operator",
      writes: true,
      body: TrunkAdd,
      responses: { 201: { description: "The new trunk", schema: TrunkRecord } },
      errors: ["organization_not_found"],
      async handle({ caller, body }) {
        return { status: 201, body: await addTrunk(deps, { ...body, actor: caller.actor }) };
      },
    }),
    route({
      method: "DELETE",
      path: "/trunks/:trunk_id",
      operationId: "removeTrunk",
      tag: "Trunks",
      summary: "Remove a trunk",
      description: "Calls that it carries go on.",
      access: "operator",
      writes: true,
      params: TrunkParams,
      responses: { 200: { description: "It is gone", schema: RemovedTrunk } },
      errors: ["not_found"],
      async handle({ caller, params }) {
        return { body: await removeTrunk(deps, { id: params.trunk_id, actor: caller.actor }) };
      },
    }),
    route({
      method: "POST",
      path: "/trunks/:trunk_id/test",
      operationId: "testTrunk",
      tag: "Trunks",
      summary: "Ask a trunk whether it is there, and say what it answered",
      access: "operator",
      writes: false,
      params: TrunkParams,
      responses: { 200: { description: "What was answered", schema: TrunkTest } },
      errors: ["not_found"],
      handle: async ({ params }) => ({ body: await testTrunk(deps, params.trunk_id) }),
    }),
  ];
}

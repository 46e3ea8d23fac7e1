import type { Database } from "../../database/database.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { Account } from "./account.schema.ts";
import { readAccount } from "./read-account.ts";

export function accountRoutes(deps: { database: Database }): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/account",
      operationId: "readAccount",
      tag: "Meta and account",
      summary: "The organization behind the key, its balance and what the key may do",
      access: "account:read",
      responses: { 200: { description: "The account", schema: Account } },
      async handle({ caller }) {
        return { body: await readAccount(deps, caller) };
      },
    }),
  ];
}

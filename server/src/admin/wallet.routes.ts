import type { Database } from "../database/database.ts";
import type { OutboxDeps } from "../events/outbox.ts";
import { creditWallet, readWallet, Wallet, WalletCredit, WalletEntry } from "../features/billing/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { OrganizationParams } from "./organization-params.ts";

export function walletRoutes(deps: OutboxDeps & { database: Database }): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/wallet",
      operationId: "readWallet",
      tag: "Wallet",
      summary: "Read a wallet with its latest 50 entries",
      access: "operator",
      params: OrganizationParams,
      responses: { 200: { description: "The wallet", schema: Wallet } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        return { body: await readWallet(deps, params.organization_id) };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/wallet/credits",
      operationId: "creditWallet",
      tag: "Wallet",
      summary: "Credit or debit a wallet",
      description:
        "Negative `tokens` debit, at most what running calls don't hold (`insufficient_balance`). The same `idempotency_key` again writes nothing and answers the same; with other `tokens` it is a `conflict`. Falling to the threshold reports `billing.low_balance`.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: WalletCredit,
      responses: { 201: { description: "The wallet's entry", schema: WalletEntry } },
      errors: ["organization_not_found", "insufficient_balance", "conflict"],
      async handle({ caller, params, body }) {
        const entry = await creditWallet(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          tokens: body.tokens,
          note: body.note,
          idempotencyKey: body.idempotency_key,
        });
        return { status: 201, body: entry };
      },
    }),
  ];
}

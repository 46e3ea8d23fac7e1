import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Campaign } from "./campaigns.schema.ts";
import * as sql from "./campaigns.sql.ts";

interface Readiness {
  sandbox: boolean;
  minute_price: number;
  available: number;
  has_template: boolean;
  has_number: boolean;
  has_lead: boolean;
}

/**
 * Looks whether a campaign has what it takes to dial: an agent, a number to call from, leads, and a minute's price. A
 * sandbox dials nothing, and needs no number and no money.
 * @throws DomainError conflict (agent, leads), no_did_available, insufficient_balance
 */
export async function checkLaunch(
  transaction: Queryable,
  organizationId: string,
  campaign: Campaign,
): Promise<void> {
  const [readiness] = await transaction.query<Readiness>({
    ...sql.readReadiness,
    values: [organizationId, campaign.id, campaign.assigned_ai_agent_id],
  });
  const { sandbox, minute_price, available, has_template, has_number, has_lead } = readiness!;
  if (campaign.assigned_ai_agent_id === null)
    throw new DomainError("conflict", "The campaign has no agent that could talk. Give it one first.");
  if (!has_template)
    throw new DomainError("conflict", "The campaign's agent has no call template to call by.");
  if (!sandbox && !has_number)
    throw new DomainError("no_did_available", "The organization has no phone number to call from.");
  if (!has_lead) throw new DomainError("conflict", "The campaign has no leads to call. Attach some first.");
  if (!sandbox && available < minute_price) {
    throw new DomainError(
      "insufficient_balance",
      `A call's first minute costs ${minute_price} tokens, but only ${Math.max(0, available)} are available.`,
    );
  }
}

import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import * as sql from "./leads.sql.ts";

/** @throws DomainError campaign_not_found when the organization has no such campaign */
export async function requireCampaign(
  deps: { database: Queryable },
  organizationId: string,
  campaignId: string,
): Promise<void> {
  const found = await deps.database.query({ ...sql.findCampaign, values: [organizationId, campaignId] });
  if (found.length > 0) return;
  throw new DomainError("campaign_not_found", "campaign_id is not a campaign of this organization.");
}

import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { CampaignStatus } from "./campaign-states.ts";
import type { Campaign, CampaignSummary } from "./campaigns.schema.ts";
import * as sql from "./campaigns.sql.ts";

/** @throws DomainError not_found */
export async function readCampaign(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<Campaign> {
  const [campaign] = await deps.database.query<Campaign>({
    ...sql.readCampaign,
    values: [organizationId, id],
  });
  if (!campaign) throw campaignNotFound();
  return campaign;
}

/** Newest first. */
export async function listCampaigns(
  deps: { database: Database },
  organizationId: string,
  status: CampaignStatus | undefined,
  page: Page,
): Promise<CampaignSummary[]> {
  return deps.database.query<CampaignSummary>(
    sql.listCampaigns(organizationId, status, page.limit, page.offset),
  );
}

export function campaignNotFound(): DomainError {
  return new DomainError("not_found", "There is no such campaign.");
}

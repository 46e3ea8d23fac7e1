import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import { parseIsoDateTime } from "../../iso-date-time.ts";
import { findLead, requireCampaign } from "../leads/index.ts";
import type { Call, CallListQuery, CallSummary, Transcript } from "./calls.schema.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { type CallRow, type CallSummaryRow, presentCall, presentSummary } from "./present-call.ts";

type ReadDeps = Pick<CallsDeps, "database" | "config">;

/** What a list is asked for, as the query's text values say it. */
export function filterFrom(query: CallListQuery): sql.CallFilter {
  const instant = (text: string | undefined) =>
    text === undefined ? undefined : parseIsoDateTime(text)!.toISOString();
  return {
    status: query.status,
    campaignId: query.campaign_id,
    leadId: query.lead_id,
    agentId: query.agent_id,
    medium: query.medium === "web" ? "browser" : query.medium,
    createdAfter: instant(query.created_after),
    createdBefore: instant(query.created_before),
  };
}

/**
 * Newest first.
 * @throws DomainError campaign_not_found, lead_not_found when the filter names one that isn't the organization's
 */
export async function listCalls(
  deps: ReadDeps,
  organizationId: string,
  filter: sql.CallFilter,
  page: Page,
): Promise<CallSummary[]> {
  const rows = await deps.database.query<CallSummaryRow>(
    sql.listCalls(organizationId, filter, page.limit, page.offset),
  );
  // Only an empty page leaves the question open, so that pages with calls cost one statement.
  if (rows.length === 0 && filter.campaignId !== undefined) {
    await requireCampaign(deps, organizationId, filter.campaignId);
  }
  if (rows.length === 0 && filter.leadId !== undefined) {
    const lead = await findLead(deps.database, organizationId, filter.leadId);
    if (!lead) throw new DomainError("lead_not_found", "lead_id is not a lead of this organization.");
  }
  return rows.map((row) => presentSummary(row, deps.config.public.url));
}

/** @throws DomainError not_found */
export async function readCallRow(
  deps: Pick<CallsDeps, "database">,
  organizationId: string,
  id: string,
): Promise<CallRow> {
  const [row] = await deps.database.query<CallRow>({ ...sql.readCall, values: [organizationId, id] });
  if (!row) throw new DomainError("not_found", "There is no such call.");
  return row;
}

/** @throws DomainError not_found */
export async function readCall(deps: ReadDeps, organizationId: string, id: string): Promise<Call> {
  const values = [organizationId, id];
  const [row, transitions, transfers] = await Promise.all([
    readCallRow(deps, organizationId, id),
    deps.database.query<Call["transitions"][number]>({ ...sql.readTransitions, values }),
    deps.database.query<Call["transfers"][number]>({ ...sql.readTransfers, values }),
  ]);
  return presentCall(row, { transitions, transfers }, deps.config.public.url);
}

const SPEAKERS = { agent: "Agent", user: "User", tool: "Tool" } as const;

/** What was said so far; whole once its status is `ready`. @throws DomainError not_found */
export async function readTranscript(
  deps: Pick<CallsDeps, "database">,
  organizationId: string,
  id: string,
): Promise<Transcript> {
  const row = await readCallRow(deps, organizationId, id);
  const turns = await deps.database.query<Transcript["turns"][number]>({
    ...sql.readTurns,
    values: [organizationId, id],
  });
  return {
    call_id: row.id,
    status: row.transcript_status,
    turns,
    text: turns.length === 0 ? null : turns.map(({ role, text }) => `${SPEAKERS[role]}: ${text}`).join("\n"),
    summary: row.summary,
  };
}

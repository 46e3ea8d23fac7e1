import type { Database, Queryable } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import { readOrganization } from "../organizations/index.ts";
import { canonicalNumber } from "./canonical-number.ts";
import type { DncCheck, DncEntry } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

/** Newest first. @throws DomainError organization_not_found */
export async function listDncEntries(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<DncEntry[]> {
  const { id } = await readOrganization(deps, organizationId);
  return deps.database.query<DncEntry>({ ...sql.listEntries, values: [id, page.limit, page.offset] });
}

/** Whether a number is listed, and by what. @throws DomainError invalid_phone_number, organization_not_found */
export async function checkDncNumber(
  deps: { database: Database },
  organizationId: string,
  text: string,
): Promise<DncCheck> {
  const phoneNumber = canonicalNumber(text);
  const { id } = await readOrganization(deps, organizationId);
  const [entry] = await deps.database.query<DncEntry>({ ...sql.readEntry, values: [id, phoneNumber] });
  return { phone_number: phoneNumber, listed: entry !== undefined, entry: entry ?? null };
}

/** Whether a number must not be called. @param phoneNumber E.164 */
export async function isOnDnc(on: Queryable, organizationId: string, phoneNumber: string): Promise<boolean> {
  const found = await on.query({ ...sql.readEntry, values: [organizationId, phoneNumber] });
  return found.length > 0;
}

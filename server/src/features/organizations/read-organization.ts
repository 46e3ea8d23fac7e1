import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { Organization } from "./organizations.schema.ts";
import * as sql from "./organizations.sql.ts";

/** @throws DomainError organization_not_found */
export async function readOrganization(
  deps: { database: Database },
  organizationId: string,
): Promise<Organization> {
  const [organization] = await deps.database.query<Organization>({
    ...sql.readOrganization,
    values: [organizationId],
  });
  if (!organization) throw new DomainError("organization_not_found", "There is no such organization.");
  return organization;
}

/** Every organization, newest first: for the operator alone. */
export function listOrganizations(deps: { database: Database }, page: Page): Promise<Organization[]> {
  return deps.database.query<Organization>({ ...sql.listOrganizations, values: [page.limit, page.offset] });
}

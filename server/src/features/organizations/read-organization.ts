import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Organization } from "./create-organization.ts";
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

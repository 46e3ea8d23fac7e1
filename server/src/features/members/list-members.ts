import type { Database } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import { readOrganization } from "../organizations/index.ts";
import type { Member } from "./members.schema.ts";
import * as sql from "./members.sql.ts";

/** Newest first. @throws DomainError organization_not_found */
export async function listMembers(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<Member[]> {
  const { id } = await readOrganization(deps, organizationId);
  return deps.database.query<Member>({ ...sql.listMembers, values: [id, page.limit, page.offset] });
}

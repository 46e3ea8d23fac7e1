import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import { readOrganization } from "../organizations/index.ts";
import type { ApiKey } from "./api-keys.schema.ts";
import * as sql from "./api-keys.sql.ts";
import { type KeyRow, presentKey } from "./present-key.ts";

/** Newest first, with the revoked and expired ones; never a key or its hash. @throws DomainError organization_not_found */
export async function listKeys(
  deps: { database: Database; clock: Clock },
  organizationId: string,
  page: Page,
): Promise<ApiKey[]> {
  const { id } = await readOrganization(deps, organizationId);
  const rows = await deps.database.query<KeyRow>({
    ...sql.listKeys,
    values: [id, page.limit, page.offset],
  });
  const now = deps.clock.now();
  return rows.map((row) => presentKey(row, now));
}

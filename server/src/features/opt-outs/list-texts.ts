import type { Database } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import { readOrganization } from "../organizations/index.ts";
import type { InboundText } from "./opt-outs.schema.ts";
import * as sql from "./opt-outs.sql.ts";

/** Newest first. @throws DomainError organization_not_found */
export async function listTexts(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<InboundText[]> {
  const { id } = await readOrganization(deps, organizationId);
  return deps.database.query<InboundText>({ ...sql.listTexts, values: [id, page.limit, page.offset] });
}

import type { Database } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import type { AuditRecord } from "./audit.schema.ts";
import * as sql from "./audit.sql.ts";

/** Newest first. An organization that doesn't exist has an empty log. */
export function listAudit(
  deps: { database: Database },
  organizationId: string,
  filter: { subjectType?: string | undefined; action?: string | undefined },
  page: Page,
): Promise<AuditRecord[]> {
  return deps.database.query<AuditRecord>({
    ...sql.listAudit,
    values: [organizationId, page.limit, page.offset, filter.subjectType ?? null, filter.action ?? null],
  });
}

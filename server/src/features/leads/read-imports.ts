import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import * as sql from "./import-leads.sql.ts";
import type { ImportJob, ImportJobRow, ImportJobWithRows } from "./leads-csv.schema.ts";

/** Newest first. */
export async function listImports(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<ImportJob[]> {
  return deps.database.query<ImportJob>({
    ...sql.listJobs,
    values: [organizationId, page.limit, page.offset],
  });
}

/**
 * A job with one page of its errors and the same page of its warnings: read on until both are shorter than the limit.
 * @throws DomainError not_found
 */
export async function readImport(
  deps: { database: Database },
  organizationId: string,
  id: string,
  page: Page,
): Promise<ImportJobWithRows> {
  const [job] = await deps.database.query<ImportJob>({ ...sql.readJob, values: [organizationId, id] });
  if (!job) throw new DomainError("not_found", "There is no such import job.");
  const rows = (kind: "error" | "warning") =>
    deps.database.query<ImportJobRow>({
      ...sql.listRows,
      values: [organizationId, id, kind, page.limit, page.offset],
    });
  const [errors, warnings] = await Promise.all([rows("error"), rows("warning")]);
  return { ...job, errors, warnings, ...page };
}

import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import {
  addCounts,
  type BatchCounts,
  type ImportBatch,
  type ImportJob,
  readBatch,
  writeBatch,
} from "./import-batch.ts";
import * as sql from "./import-leads.sql.ts";
import type { ImportSummary, LeadImport } from "./leads-csv.schema.ts";
import { type CsvFile, type ImportPlan, openCsv, planImport, requireCsv } from "./parsing/index.ts";
import { requireCampaign } from "./require-campaign.ts";

/** Within 10 % of the fastest from 500 on; at 1,000 the event loop is held for a few milliseconds at a time. */
const ROWS_PER_BATCH = 1_000;

interface LeadImportRequest {
  organizationId: string;
  body: LeadImport;
  /** Called when the file is found good, and before anything is looked up or written. */
  refuseUnlessActive?: () => void;
}

/**
 * Imports a CSV text: every row inserts a lead or updates the one with its number, and is reported by one event. What
 * can be refused is refused before anything is written. Then batches commit one after the other in file order; an import
 * that breaks off leaves whole batches in place with their events, and its job `failed`; when the process
 * died it stays `running` until `failAbandonedImports`.
 * @throws DomainError csv_required, payload_too_large, invalid_csv, invalid_request (mapping), campaign_not_found,
 *   import_failed, and what `refuseUnlessActive` throws
 */
export async function importLeads(
  deps: OutboxDeps & { database: Database },
  { organizationId, body, refuseUnlessActive = () => {} }: LeadImportRequest,
): Promise<ImportSummary> {
  const file = await openCsv(requireCsv(body.csv));
  const plan = planImport(file.headers, body.mapping);
  await readToTheEnd(file);
  refuseUnlessActive();
  if (body.campaign_id !== undefined) await requireCampaign(deps, organizationId, body.campaign_id);

  const job: ImportJob = { organizationId, id: deps.newId(), campaignId: body.campaign_id ?? null };
  const at = () => timestamp(deps.clock.now());
  const jobKey = [organizationId, job.id];
  try {
    await deps.database.query({ ...sql.startJob, values: [...jobKey, job.campaignId, at()] });
    const counts = await writeFile(deps, job, plan, file);
    await deps.database.query({ ...sql.endJob, values: [...jobKey, "finished", at()] });
    return { job_id: job.id, skipped: 0, ...counts };
  } catch (cause) {
    await deps.database.query({ ...sql.endJob, values: [...jobKey, "failed", at()] }).catch(() => {
      // The database that broke the import off may be away: the job stays `running`, as after a crash.
    });
    const failure = new DomainError(
      "import_failed",
      "The import broke off. Rows already processed are in place; sending the file again updates them.",
    );
    failure.cause = cause;
    throw failure;
  }
}

/** @throws DomainError invalid_csv when a quote anywhere in the file is never closed */
async function readToTheEnd(file: CsvFile): Promise<void> {
  for await (const _ of file.rowBatches(ROWS_PER_BATCH));
}

/** Reads the next batch while the database writes this one. */
async function writeFile(
  deps: OutboxDeps & { database: Database },
  job: ImportJob,
  plan: ImportPlan,
  file: CsvFile,
): Promise<BatchCounts> {
  const counts: BatchCounts = { total: 0, inserted: 0, updated: 0, failed: 0 };
  let writing: Promise<void> = Promise.resolve();
  const write = async (batch: ImportBatch) => addCounts(counts, await writeBatch(deps, job, batch));
  for await (const rows of file.rowBatches(ROWS_PER_BATCH)) {
    const batch = readBatch(deps, plan, rows);
    await writing;
    writing = write(batch);
    // Awaited a turn later; until then a failure must not count as unhandled.
    writing.catch(() => {});
  }
  await writing;
  return counts;
}

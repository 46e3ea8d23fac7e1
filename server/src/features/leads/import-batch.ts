import { type Database, type Queryable, timestamp } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import * as sql from "./import-leads.sql.ts";
import {
  type CsvRow,
  type ImportPlan,
  type LeadValues,
  readLeadRow,
  splitIntoWaves,
} from "./parsing/index.ts";

export interface ImportJob {
  organizationId: string;
  id: string;
  campaignId: string | null;
}

/** Rows of the file that go into the database together. */
export interface ImportBatch {
  leads: ImportedRow[];
  notes: RowNote[];
  total: number;
  failed: number;
}

interface ImportedRow {
  row: CsvRow;
  phone: string;
  values: LeadValues;
  leadId: string;
  eventId: string;
}

/** What the job keeps of a row that did not go in, or not whole. */
interface RowNote {
  rowNumber: number;
  ordinal: number;
  kind: "error" | "warning";
  code: string;
  column: string | null;
  raw: string;
}

export interface BatchCounts {
  total: number;
  inserted: number;
  updated: number;
  failed: number;
}

/** Reads the rows of a batch. Ids are made here, in file order. */
export function readBatch(deps: OutboxDeps, plan: ImportPlan, rows: readonly CsvRow[]): ImportBatch {
  const batch: ImportBatch = { leads: [], notes: [], total: rows.length, failed: 0 };
  for (const row of rows) {
    const { rowNumber, raw } = row;
    const reading = readLeadRow(plan, row.cells);
    if ("error" in reading) {
      batch.failed++;
      batch.notes.push({
        rowNumber,
        ordinal: 0,
        kind: "error",
        code: reading.error,
        column: "phone_number",
        raw,
      });
      continue;
    }
    const { phone, values } = reading;
    batch.leads.push({ row, phone, values, leadId: deps.newId(), eventId: deps.newId() });
    reading.warnings.forEach(({ code, column }, ordinal) => {
      batch.notes.push({ rowNumber, ordinal, kind: "warning", code, column, raw });
    });
  }
  return batch;
}

/** Deadlock and serialization failure: the same batch may simply run again. */
const RUN_AGAIN = new Set(["40P01", "40001"]);
const MOST_RUNS = 5;
/** Errors of the data itself, by SQLSTATE class; a missing parent row (23503) is the job's trouble, not a row's. */
const DATA_ERROR = /^(22|23(?!503))/;

/**
 * Commits a batch. Should the database refuse a row's data after all, the rows go in one by one, and those it refuses
 * are kept as errors.
 */
export async function writeBatch(
  deps: OutboxDeps & { database: Database },
  job: ImportJob,
  batch: ImportBatch,
): Promise<BatchCounts> {
  for (let run = 1; ; run++) {
    try {
      return await commitBatch(deps, job, batch);
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? "");
      if (RUN_AGAIN.has(code) && run < MOST_RUNS) continue;
      if (DATA_ERROR.test(code) && batch.leads.length > 0) return writeSingly(deps, job, batch, code);
      throw error;
    }
  }
}

async function writeSingly(
  deps: OutboxDeps & { database: Database },
  job: ImportJob,
  batch: ImportBatch,
  refusal: string,
): Promise<BatchCounts> {
  const [only, ...others] = batch.leads;
  if (others.length === 0 && batch.total === 1) {
    const { rowNumber, raw } = only!.row;
    return writeBatch(deps, job, {
      leads: [],
      notes: [
        { rowNumber, ordinal: 0, kind: "error", code: `refused_by_database:${refusal}`, column: null, raw },
      ],
      total: 1,
      failed: 1,
    });
  }
  const lone = new Set(batch.leads.map(({ row }) => row.rowNumber));
  const counts = await writeBatch(deps, job, {
    leads: [],
    notes: batch.notes.filter(({ rowNumber }) => !lone.has(rowNumber)),
    total: batch.total - batch.leads.length,
    failed: batch.failed,
  });
  for (const lead of batch.leads) {
    const notes = batch.notes.filter(({ rowNumber }) => rowNumber === lead.row.rowNumber);
    addCounts(counts, await writeBatch(deps, job, { leads: [lead], notes, total: 1, failed: 0 }));
  }
  return counts;
}

/** A number's second row in a batch needs a statement of its own; all of them commit together. */
async function commitBatch(
  deps: OutboxDeps & { database: Database },
  job: ImportJob,
  batch: ImportBatch,
): Promise<BatchCounts> {
  const [first = [], ...later] = splitIntoWaves(batch.leads);
  const now = timestamp(deps.clock.now());
  const counts: BatchCounts = { total: batch.total, inserted: 0, updated: 0, failed: batch.failed };
  let queued = 0;
  const write = async (on: Queryable, wave: readonly ImportedRow[], rest: Omit<ImportBatch, "leads">) => {
    const [written] = await on.query<{ inserted: number; updated: number; queued: number }>({
      ...sql.writeBatch,
      values: [job.organizationId, job.id, job.campaignId, now, ...leadColumns(wave), ...restColumns(rest)],
    });
    counts.inserted += written!.inserted;
    counts.updated += written!.updated;
    queued += written!.queued;
  };
  if (later.length === 0) await write(deps.database, first, batch);
  else {
    await deps.database.transaction(async (transaction) => {
      await write(transaction, first, batch);
      for (const wave of later) await write(transaction, wave, { notes: [], total: 0, failed: 0 });
    });
  }
  if (queued > 0) deps.deliveriesQueued();
  return counts;
}

export function addCounts(to: BatchCounts, more: BatchCounts): void {
  to.total += more.total;
  to.inserted += more.inserted;
  to.updated += more.updated;
  to.failed += more.failed;
}

function leadColumns(leads: readonly ImportedRow[]): unknown[] {
  const column = <T>(read: (values: LeadValues) => T | undefined) =>
    leads.map(({ values }) => read(values) ?? null);
  // Written by hand: an object with numbers for keys takes ten times as long. They need no escaping.
  const byPhone = (read: (values: LeadValues) => string | undefined) => {
    const members: string[] = [];
    for (const { phone, values } of leads) {
      const value = read(values);
      if (value !== undefined) members.push(`"${phone}":${JSON.stringify(value)}`);
    }
    return `{${members.join(",")}}`;
  };
  return [
    leads.map(({ leadId }) => leadId),
    leads.map(({ eventId }) => eventId),
    leads.map(({ phone }) => phone),
    column((values) => values.first_name),
    column((values) => values.last_name),
    column((values) => values.email_address),
    column((values) => values.consented_at?.toISOString()),
    column((values) => values.credit_score),
    column((values) => values.annual_income),
    byPhone((values) => values.status),
    byPhone((values) => values.consent_source),
  ];
}

function restColumns({ notes, total, failed }: Omit<ImportBatch, "leads">): unknown[] {
  return [
    total,
    failed,
    notes.filter(({ kind }) => kind === "warning").length,
    notes.map(({ rowNumber }) => rowNumber),
    notes.map(({ ordinal }) => ordinal),
    notes.map(({ kind }) => kind),
    notes.map(({ code }) => code),
    notes.map(({ column }) => column),
    notes.map(({ raw }) => JSON.stringify(raw)),
  ];
}

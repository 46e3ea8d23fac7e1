import { DomainError } from "../../../domain-error.ts";
import { letOthersRun, PAUSE } from "./csv-pause.ts";
import { scanRows } from "./csv-scanner.ts";
import { findHeader, type HeaderPlace } from "./csv-separator.ts";

/** The largest CSV text taken, in UTF-8 bytes. */
export const MAX_CSV_BYTES = 5_000_000;

/** As many columns as a spreadsheet has; a file of millions would only be an attack on the answer's size. */
export const MAX_CSV_COLUMNS = 16_384;

const ROWS_PER_BATCH = 1_000;
const BYTE_ORDER_MARK = 0xfeff;

export interface CsvRow {
  /** 1 for the first row below the header; blank rows have no number. The last row's number is the total. */
  readonly rowNumber: number;
  /** As many as the row has, and no more than the header; nothing trimmed. */
  readonly cells: readonly string[];
  /** The row as it stands in the file, without its line break. May hold what PostgreSQL can't store. */
  readonly raw: string;
}

export interface CsvFile {
  /** Trimmed, in file order, possibly empty or equal. At least one of them isn't empty. */
  readonly headers: readonly string[];
  /**
   * The rows in file order, in batches of at most `rowsPerBatch`, each call from the start. Gives the event loop a
   * turn every few milliseconds.
   * @throws DomainError `invalid_csv` on a quote that is never closed, as late as its row is reached
   */
  rowBatches(rowsPerBatch?: number): AsyncGenerator<CsvRow[], void>;
}

/**
 * The `csv` field of a request body.
 * @throws DomainError `csv_required` when it is missing, empty or not a string, `payload_too_large` over 5,000,000 bytes
 */
export function requireCsv(value: unknown): string {
  if (typeof value !== "string" || value === "") {
    throw new DomainError("csv_required", "Send the CSV text as a non-empty string in the field csv.");
  }
  if (Buffer.byteLength(value, "utf8") > MAX_CSV_BYTES) {
    throw new DomainError("payload_too_large", `The CSV may have at most ${MAX_CSV_BYTES} bytes.`);
  }
  return value;
}

/**
 * Reads the header row: the first row that isn't blank, behind a byte-order mark if there is one.
 * @throws DomainError `invalid_csv` when there is none, or its quote is never closed, or it has too many columns
 */
export async function openCsv(csv: string): Promise<CsvFile> {
  const place = await locateHeader(csv);
  if (place === null) throw new DomainError("invalid_csv", "The CSV has no header row.");
  const header = await readHeader(csv, place);
  return {
    headers: header.cells.map((name) => name.trim()),
    rowBatches: (rowsPerBatch = ROWS_PER_BATCH) =>
      rowBatches(csv, header.end, place.separator, header.cells.length, rowsPerBatch),
  };
}

async function locateHeader(csv: string): Promise<HeaderPlace | null> {
  const search = findHeader(csv, csv.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0);
  let step = search.next();
  for (; step.done !== true; step = search.next()) await letOthersRun();
  return step.value;
}

async function readHeader(csv: string, place: HeaderPlace): Promise<{ cells: string[]; end: number }> {
  for (const row of scanRows(csv, place.start, place.separator, MAX_CSV_COLUMNS + 1)) {
    if (row === PAUSE) {
      await letOthersRun();
      continue;
    }
    if (row.cells.length > MAX_CSV_COLUMNS) {
      throw new DomainError("invalid_csv", `The CSV has more than ${MAX_CSV_COLUMNS} columns.`);
    }
    return row;
  }
  throw new DomainError("invalid_csv", "The CSV has no header row.");
}

async function* rowBatches(
  csv: string,
  from: number,
  separator: number,
  columns: number,
  rowsPerBatch: number,
): AsyncGenerator<CsvRow[], void> {
  let batch: CsvRow[] = [];
  let rowNumber = 0;
  // `from` is the header's line break, which reads as one more blank row.
  for (const row of scanRows(csv, from, separator, columns)) {
    if (row === PAUSE) {
      await letOthersRun();
      continue;
    }
    rowNumber++;
    batch.push({ rowNumber, cells: row.cells, raw: csv.slice(row.start, row.end) });
    if (batch.length >= rowsPerBatch) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

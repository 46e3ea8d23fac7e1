import { openCsv, requireCsv } from "./csv.ts";
import { type MappingSuggestion, suggestMapping } from "./suggest-mapping.ts";

const SAMPLE_ROWS = 5;

export interface CsvInspection extends MappingSuggestion {
  /** Rows that aren't blank, the header not counted. */
  total_rows: number;
  headers: string[];
  /**
   * The first five rows, header to cell, without a prototype so that a header `__proto__` is an ordinary key. A row
   * shorter than the header has fewer keys; of equal headers the first one counts.
   */
  sample_rows: Record<string, string>[];
}

/**
 * What is in a CSV text and how it could be mapped; stores nothing.
 * @param csv the request's `csv` field, of whatever type it came
 * @throws DomainError `csv_required`, `payload_too_large`, `invalid_csv`
 */
export async function inspectCsv(csv: unknown): Promise<CsvInspection> {
  const { headers, rowBatches } = await openCsv(requireCsv(csv));
  const sampleRows: Record<string, string>[] = [];
  let totalRows = 0;
  for await (const batch of rowBatches()) {
    totalRows += batch.length;
    for (const row of batch.slice(0, SAMPLE_ROWS - sampleRows.length)) {
      sampleRows.push(sampleRow(headers, row.cells));
    }
  }
  return {
    total_rows: totalRows,
    headers: [...headers],
    ...suggestMapping(headers),
    sample_rows: sampleRows,
  };
}

function sampleRow(headers: readonly string[], cells: readonly string[]): Record<string, string> {
  const sample: Record<string, string> = Object.create(null);
  cells.forEach((cell, index) => {
    const header = headers[index] as string;
    if (!(header in sample)) sample[header] = cell;
  });
  return sample;
}

/** Where a command's answer goes. */
export type Write = (text: string) => void;

/** A record as one JSON object on one line, or as lines to read: lists become tables. */
export function printRecord(write: Write, record: Readonly<Record<string, unknown>>, asJson: boolean): void {
  if (asJson) {
    write(`${JSON.stringify(record)}\n`);
    return;
  }
  const isTable = ([, value]: [string, unknown]) => isListOfRecords(value);
  const fields = Object.entries(record);
  const plain = fields.filter((field) => !isTable(field));
  const width = Math.max(0, ...plain.map(([name]) => name.length));
  for (const [name, value] of plain) write(`${name.padEnd(width)}  ${cell(value)}\n`);
  for (const [name, value] of fields.filter(isTable)) {
    write(`\n${name}\n`);
    writeTable(write, value as Readonly<Record<string, unknown>>[]);
  }
}

/** A page of a list: as it is, or its rows with these columns. */
export function printPage(
  write: Write,
  page: Readonly<Record<string, unknown>>,
  columns: readonly string[],
  asJson: boolean,
): void {
  if (asJson) {
    write(`${JSON.stringify(page)}\n`);
    return;
  }
  const rows = page.data as Readonly<Record<string, unknown>>[];
  if (rows.length === 0) write("None.\n");
  else writeTable(write, rows, columns);
  if (rows.length > 0 && rows.length === page.limit) {
    write(`There may be more: --offset ${Number(page.offset) + rows.length}\n`);
  }
}

function writeTable(
  write: Write,
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): void {
  const lines = [[...columns], ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  for (const line of lines) {
    write(
      `${line
        .map((text, index) => text.padEnd(widths[index]!))
        .join("  ")
        .trimEnd()}\n`,
    );
  }
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && typeof value[0] === "object" && value[0] !== null;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object")) return value.join(",");
  // What a receiver answered, or what stood in a CSV, must not steer the terminal.
  return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);
}

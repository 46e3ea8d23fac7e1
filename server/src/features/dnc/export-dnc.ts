import { Readable } from "node:stream";
import type { Database } from "../../database/database.ts";
import { readOrganization } from "../organizations/index.ts";
import type { DncEntry } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

const COLUMNS = ["phone_number", "reason", "source", "added_by", "created_at"] as const;
const ROWS_PER_PAGE = 5_000;

/**
 * The list as CSV with CRLF line ends, by number, as the import takes it. A page of rows at a time: no connection is held
 * while the client reads.
 * @throws DomainError organization_not_found
 */
export async function exportDncEntries(
  deps: { database: Database },
  organizationId: string,
): Promise<Readable> {
  const { id } = await readOrganization(deps, organizationId);
  async function* lines() {
    yield `${COLUMNS.join(",")}\r\n`;
    for (let last = ""; ; ) {
      const page = await deps.database.query<DncEntry>({
        ...sql.exportPage,
        values: [id, last, ROWS_PER_PAGE],
      });
      if (page.length > 0)
        yield page.map((row) => `${COLUMNS.map((name) => cell(row[name])).join(",")}\r\n`).join("");
      if (page.length < ROWS_PER_PAGE) return;
      last = page.at(-1)!.phone_number;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}

function cell(value: string | null): string {
  const text = value ?? "";
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { Readable } from "node:stream";
import { copyRows } from "../../database/copy-rows.ts";
import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import * as sql from "./export-leads.sql.ts";
import { requireCampaign } from "./require-campaign.ts";
import { rewriteExportRow } from "./rewrite-export-row.ts";
import { createTurns } from "./turns.ts";

/**
 * Opens a CSV stream of an organization's leads, or those of one campaign, oldest first.
 * @throws DomainError campaign_not_found, export_failed
 */
export type LeadExporter = (input: {
  organizationId: string;
  campaignId?: string | undefined;
}) => Promise<Readable>;

interface ExportPage {
  blocks: Buffer[];
  /** Null when this page is the last. */
  end: sql.ExportPosition | null;
}

/** Less than 2 MB as a rule; at most two pages of an export are in memory. */
const ROWS_PER_PAGE = 10_000;
/** Pages that are fetched at once, of all exports together, so that exports leave connections to the other requests. */
const PAGES_AT_ONCE = 4;
/** A client that takes nothing for this long is taken to be gone. */
const STALLED_AFTER_MS = 5 * 60_000;
const LEAD_ID_LENGTH = 36;

/**
 * Pages, not one long COPY: however slowly a client reads, no connection is held meanwhile and no snapshot keeps the
 * database from cleaning up, and no statement comes near its time limit. A lead that is changed while the export runs
 * appears once, in its state at its page.
 */
export function createLeadExporter({
  database,
  rowsPerPage = ROWS_PER_PAGE,
}: {
  database: Database;
  rowsPerPage?: number;
}): LeadExporter {
  const takeTurn = createTurns(PAGES_AT_ONCE);

  const fetchPage = (
    organizationId: string,
    campaignId: string | undefined,
    after: sql.ExportPosition | null,
  ) =>
    takeTurn(() =>
      database.withConnection<ExportPage>(async (client) => {
        const page = sql.copyPage(organizationId, campaignId, after, rowsPerPage);
        const { blocks, rows } = await copyRows(client, page, rewriteExportRow);
        if (rows < rowsPerPage) return { blocks, end: null };
        const {
          rows: [end],
        } = await client.query<sql.ExportPosition>({
          ...sql.readPosition,
          values: [organizationId, lastLeadId(blocks)],
        });
        if (!end) throw new Error("the lead that an export page ended with is gone");
        return { blocks, end };
      }),
    );

  return async ({ organizationId, campaignId }) => {
    if (campaignId !== undefined) await requireCampaign({ database }, organizationId, campaignId);
    let page: ExportPage;
    try {
      page = await fetchPage(organizationId, campaignId, null);
    } catch (cause) {
      const failure = new DomainError("export_failed", "The export could not be made. Retry later.");
      failure.cause = cause;
      throw failure;
    }

    // Real time, not the service's clock: it is about a connection.
    const stalled = setTimeout(
      () => stream.destroy(new Error("the client stopped reading the export")),
      STALLED_AFTER_MS,
    );
    async function* blocks() {
      yield Buffer.from(`${sql.EXPORT_HEADER.join(",")}\r\n`);
      for (;;) {
        // Fetched while the client takes this page.
        const next = page.end ? fetchPage(organizationId, campaignId, page.end) : null;
        next?.catch(() => {});
        for (const block of page.blocks) {
          yield block;
          stalled.refresh();
        }
        if (!next) return;
        page = await next;
      }
    }
    const stream = Readable.from(blocks(), { objectMode: false });
    stream.once("close", () => clearTimeout(stalled));
    return stream;
  };
}

/** The last cell of the last row: never quoted, CRLF behind it. */
function lastLeadId(blocks: readonly Buffer[]): string {
  const block = blocks.at(-1)!;
  return block.toString("latin1", block.length - LEAD_ID_LENGTH - 2, block.length - 2);
}

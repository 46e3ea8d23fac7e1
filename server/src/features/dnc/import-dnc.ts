import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordAudits } from "../audit/index.ts";
import { canonicalPhoneNumber, openCsv, requireCsv } from "../leads/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { DncDeps } from "./add-dnc-entry.ts";
import type { DncEntry, DncImported } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

const NUMBER_HEADERS = ["phone_number", "phonenumber", "phone", "number"];
const MOST_ERRORS = 100;
const MOST_REASON = 500;

/**
 * Puts the numbers of a CSV on the do-not-call list, each with an entry in the audit log. Rows commit in batches in file
 * order; what is listed keeps its first entry, so that sending the file again changes nothing.
 * @param input `reason` for rows without one
 * @throws DomainError csv_required, invalid_csv, payload_too_large, organization_not_found
 */
export async function importDncEntries(
  deps: DncDeps,
  input: { organizationId: string; actor: string; csv: string; reason?: string | null | undefined },
): Promise<DncImported> {
  const { id: organizationId } = await readOrganization(deps, input.organizationId);
  const text = requireCsv(input.csv);
  const columns = await columnsOf(text);
  const file = await openCsv(columns.hasHeader ? text : `phone_number,reason\n${withoutMark(text)}`);
  const imported: DncImported = { total: 0, added: 0, listed: 0, failed: 0, errors: [] };

  for await (const rows of file.rowBatches()) {
    const reasons = new Map<string, string | null>();
    let valid = 0;
    for (const { rowNumber, cells } of rows) {
      const number = canonicalPhoneNumber(cells[columns.number] ?? "");
      if (number === null) {
        imported.failed++;
        if (imported.errors.length < MOST_ERRORS)
          imported.errors.push({ row_number: rowNumber, code: "invalid_or_missing_phone" });
        continue;
      }
      valid++;
      const own = storable(cells[columns.reason] ?? "");
      if (!reasons.has(number)) reasons.set(number, own === "" ? (input.reason ?? null) : own);
    }
    const added = await addAll(deps, { organizationId, actor: input.actor, reasons });
    imported.total += rows.length;
    imported.added += added;
    imported.listed += valid - added;
  }
  return imported;
}

async function addAll(
  deps: DncDeps,
  input: { organizationId: string; actor: string; reasons: ReadonlyMap<string, string | null> },
): Promise<number> {
  const { organizationId, actor, reasons } = input;
  if (reasons.size === 0) return 0;
  return deps.database.transaction(async (transaction) => {
    const added = await transaction.query<DncEntry>({
      ...sql.insertEntries,
      values: [
        organizationId,
        [...reasons.keys()],
        [...reasons.values()],
        "import",
        actor,
        timestamp(deps.clock.now()),
      ],
    });
    await recordAudits(
      deps,
      transaction,
      { organizationId, actor, action: "dnc_entry.added", subjectType: "dnc_entry" },
      added.map(({ phone_number, reason, source }) => ({
        subjectId: phone_number,
        details: { reason, source },
      })),
    );
    return added.length;
  });
}

/** Where the number and the reason stand; -1 is nowhere. A file whose first row begins with a number has no header. */
async function columnsOf(text: string): Promise<{ hasHeader: boolean; number: number; reason: number }> {
  const { headers } = await openCsv(text);
  const names = headers.map((header) => header.toLowerCase().replace(/[\s-]+/g, "_"));
  const number = names.findIndex((name) => NUMBER_HEADERS.includes(name));
  if (number >= 0) return { hasHeader: true, number, reason: names.indexOf("reason") };
  if (canonicalPhoneNumber(headers[0] ?? "") !== null) return { hasHeader: false, number: 0, reason: 1 };
  throw new DomainError(
    "invalid_csv",
    "The CSV has no column phone_number, and doesn't begin with a number.",
  );
}

const withoutMark = (text: string) => text.replace(/^\ufeff/, "");

/** As PostgreSQL can keep it, and no longer than a reason may be. */
function storable(text: string): string {
  return Array.from(text.toWellFormed().replaceAll("\0", "").trim()).slice(0, MOST_REASON).join("");
}

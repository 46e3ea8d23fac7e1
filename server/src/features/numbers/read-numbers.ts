import type { Database, Queryable } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { OwnedNumber } from "./numbers.schema.ts";
import * as sql from "./numbers.sql.ts";

/** Newest first; only this one where a number is given. @throws DomainError organization_not_found, invalid_phone_number */
export async function listNumbers(
  deps: { database: Database },
  organizationId: string,
  phoneNumber: string | undefined,
  page: Page,
): Promise<OwnedNumber[]> {
  const { id } = await readOrganization(deps, organizationId);
  if (phoneNumber !== undefined) {
    const number = await findNumber(deps.database, {
      organizationId: id,
      phoneNumber: canonicalNumber(phoneNumber),
    });
    return number && page.offset === 0 ? [number] : [];
  }
  return deps.database.query<OwnedNumber>({ ...sql.listNumbers, values: [id, page.limit, page.offset] });
}

/** @param phoneNumber E.164. @returns null when it isn't the organization's */
export async function findNumber(
  on: Queryable,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<OwnedNumber | null> {
  const [number] = await on.query<OwnedNumber>({ ...sql.readNumber, values: [organizationId, phoneNumber] });
  return number ?? null;
}

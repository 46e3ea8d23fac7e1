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

/**
 * The number that somebody calls, where an agent answers it. Over a shared trunk, or a vendor's account, it may be any
 * organization's: then the one that has it with the carrier that brings the call, and has had it for longest.
 * @param organizationId null: any
 * @param phoneNumber E.164
 */
export async function findCalledNumber(
  on: Queryable,
  called: { organizationId: string | null; phoneNumber: string; carrier: string },
): Promise<{ organization_id: string; phone_number: string; agent_id: string } | null> {
  const [number] = await on.query<{ organization_id: string; phone_number: string; agent_id: string }>({
    ...sql.readCalledNumber,
    values: [called.organizationId, called.phoneNumber, called.carrier],
  });
  return number ?? null;
}

/** The organizations that have a number, the one that has had it for longest first. @param phoneNumber E.164 */
export async function findOwners(on: Queryable, phoneNumber: string): Promise<string[]> {
  const rows = await on.query<{ organization_id: string }>({ ...sql.readOwners, values: [phoneNumber] });
  return rows.map(({ organization_id }) => organization_id);
}

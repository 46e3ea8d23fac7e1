import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import * as sql from "./api-keys.sql.ts";
import type { KeyRow } from "./present-key.ts";

/** Reads a key that nobody else changes until the transaction ends. @throws DomainError not_found */
export async function lockKey(
  transaction: Queryable,
  input: { organizationId: string; keyId: string },
): Promise<KeyRow> {
  const [row] = await transaction.query<KeyRow>({
    ...sql.lockKey,
    values: [input.organizationId, input.keyId],
  });
  if (!row) throw new DomainError("not_found", "There is no such key in the organization.");
  return row;
}

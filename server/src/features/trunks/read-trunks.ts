import type { Database, Queryable } from "../../database/database.ts";
import type { Page } from "../../http/schema.ts";
import type { TrunkSource } from "../../voice/carriers/sip/index.ts";
import { readOrganization } from "../organizations/index.ts";
import { dialable, presentTrunk, type SecretTrunkRow, type TrunkRow } from "./present-trunk.ts";
import type { TrunkRecord } from "./trunks.schema.ts";
import * as sql from "./trunks.sql.ts";

/**
 * In the order in which they are tried; an organization's, or everybody's.
 * @throws DomainError organization_not_found
 */
export async function listTrunks(
  deps: { database: Database },
  organizationId: string | undefined,
  { limit, offset }: Page,
): Promise<TrunkRecord[]> {
  if (organizationId !== undefined) await readOrganization(deps, organizationId);
  const rows = await deps.database.query<TrunkRow>({
    ...sql.listTrunks,
    values: [organizationId ?? null, limit, offset],
  });
  return rows.map(presentTrunk);
}

/** What the carrier places calls with. */
export function trunkSource(database: Queryable): TrunkSource {
  const read = async (organizationId: string | null) => {
    const rows = await database.query<SecretTrunkRow>({ ...sql.readDialable, values: [organizationId] });
    return rows.map(dialable);
  };
  return { trunksOf: read, allTrunks: () => read(null) };
}

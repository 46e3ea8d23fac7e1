import type { Database } from "../../database/database.ts";
import type { ApiCaller, FindKey } from "../../http/authentication.ts";
import type { Scope } from "../../http/scopes.ts";
import * as sql from "./api-keys.sql.ts";

interface Row {
  id: string;
  organization_id: string;
  scopes: Scope[];
  rate_limit_per_minute: number;
  expires_at: string | null;
  revoked_at: string | null;
  status: "active" | "suspended";
  sandbox: boolean;
}

/** Looks keys up in the database, with the state of their organization. */
export function findKeyIn(database: Database): FindKey {
  return async (hash): Promise<ApiCaller | null> => {
    const [row] = await database.query<Row>({ ...sql.findKey, values: [hash] });
    if (!row) return null;
    return {
      keyId: row.id,
      organizationId: row.organization_id,
      organizationStatus: row.status,
      sandbox: row.sandbox,
      scopes: new Set(row.scopes),
      rateLimitPerMinute: row.rate_limit_per_minute,
      expiresAt: row.expires_at === null ? null : Date.parse(row.expires_at),
      revokedAt: row.revoked_at === null ? null : Date.parse(row.revoked_at),
    };
  };
}

import type { ApiKey } from "./api-keys.schema.ts";

/** A row of the table, without the hash. */
export type KeyRow = Omit<ApiKey, "status">;

/** Where a key stands at `now` (milliseconds since the epoch), by the order that authentication asks in. */
export function keyStatus(key: Pick<KeyRow, "revoked_at" | "expires_at">, now: number): ApiKey["status"] {
  if (key.revoked_at !== null && Date.parse(key.revoked_at) <= now) return "revoked";
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return "expired";
  return "active";
}

export function presentKey(row: KeyRow, now: number): ApiKey {
  return { ...row, status: keyStatus(row, now) };
}

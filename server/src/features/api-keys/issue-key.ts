import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { Scope } from "../../http/scopes.ts";
import type { NewId } from "../../ids.ts";
import type { IssuedApiKey } from "./api-keys.schema.ts";
import * as sql from "./api-keys.sql.ts";
import { makeKey } from "./make-key.ts";
import { type KeyRow, presentKey } from "./present-key.ts";

/** Makes a key's text and stores its hash. The answer is the only time that the text is shown. */
export async function issueKey(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  input: {
    organization: { id: string; sandbox: boolean };
    name: string;
    scopes: readonly Scope[];
    rateLimitPerMinute: number;
    /** ISO 8601 */
    expiresAt: string | null;
    rotatedFrom: string | null;
  },
): Promise<IssuedApiKey> {
  const { key, hash, prefix } = makeKey(input.organization.sandbox);
  const now = deps.clock.now();
  const [row] = await transaction.query<KeyRow>({
    ...sql.insertKey,
    values: [
      input.organization.id,
      deps.newId(),
      input.name,
      hash,
      prefix,
      input.scopes,
      input.rateLimitPerMinute,
      input.expiresAt,
      input.rotatedFrom,
      timestamp(now),
    ],
  });
  return { ...presentKey(row!, now), key };
}

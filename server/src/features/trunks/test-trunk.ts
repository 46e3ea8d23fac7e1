import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { probeTrunk } from "../../voice/carriers/sip/index.ts";
import { dialable, type SecretTrunkRow } from "./present-trunk.ts";
import type { TrunkTest } from "./trunks.schema.ts";
import * as sql from "./trunks.sql.ts";

/** Asks the trunk whether it is there (OPTIONS), and says what its answer means. @throws DomainError not_found */
export async function testTrunk(
  deps: { database: Database; clock: Clock; config: Pick<Config, "sipBind" | "mediaAddress"> },
  id: string,
): Promise<TrunkTest> {
  const [row] = await deps.database.query<SecretTrunkRow>({ ...sql.readTrunk, values: [id] });
  if (!row) throw new DomainError("not_found", "There is no such trunk.");
  const { clock, config } = deps;
  const found = await probeTrunk(
    { clock, bindAddress: config.sipBind.address, advertisedAddress: config.mediaAddress },
    dialable(row),
  );
  return {
    id,
    name: row.name,
    reachable: found.status !== null,
    status: found.status,
    reason: found.reason,
    round_trip_ms: found.roundTripMs,
    message: found.message,
  };
}

import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import type { TrunksDeps } from "./add-trunk.ts";
import type { TrunkRow } from "./present-trunk.ts";
import type { RemovedTrunk } from "./trunks.schema.ts";
import * as sql from "./trunks.sql.ts";

/** Calls that it carries go on. @throws DomainError not_found */
export async function removeTrunk(
  deps: TrunksDeps,
  { id, actor }: { id: string; actor: string },
): Promise<RemovedTrunk> {
  await deps.database.transaction(async (transaction) => {
    const [removed] = await transaction.query<TrunkRow>({ ...sql.deleteTrunk, values: [id] });
    if (!removed) throw new DomainError("not_found", "There is no such trunk.");
    if (removed.owner_id === null) return;
    await recordAudit(deps, transaction, {
      organizationId: removed.owner_id,
      actor,
      action: "trunk.removed",
      subjectType: "trunk",
      subjectId: id,
      details: { name: removed.name },
    });
  });
  deps.trunksChanged();
  return { id, deleted: true };
}

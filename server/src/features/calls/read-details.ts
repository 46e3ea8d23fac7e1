import { readCallMoney } from "../billing/index.ts";
import { readVerdictOfCall } from "../compliance/index.ts";
import type { Call, CallDetails } from "./calls.schema.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { readCall, readTranscript } from "./read-calls.ts";

/** Everything there is of a call, for operators. @throws DomainError not_found */
export async function readCallDetails(
  deps: Pick<CallsDeps, "database" | "config">,
  organizationId: string,
  id: string,
): Promise<CallDetails> {
  const call = await readCall(deps, organizationId, id);
  const [{ turns }, transfers, money, verdict] = await Promise.all([
    readTranscript(deps, organizationId, id),
    deps.database.query<Call["transfers"][number] & { briefing: string }>({
      ...sql.readTransfers,
      values: [organizationId, id],
    }),
    readCallMoney(deps, organizationId, call.id),
    readVerdictOfCall(deps.database, organizationId, call.id),
  ]);
  return {
    ...call,
    transfers,
    turns,
    ledger_entries: money.entries,
    held_tokens: money.held,
    verdict,
  };
}

import { type Queryable, timestamp } from "../../database/database.ts";
import * as sql from "./leads.sql.ts";

/**
 * Notes on the leads concerned that they must not be called. No event: it is no change by the API's user.
 * @param input `leadId` may be null; `phoneNumber` is E.164
 * @returns the ids of the leads
 */
export async function markDoNotCall(
  transaction: Queryable,
  input: { organizationId: string; leadId: string | null; phoneNumber: string; at: number },
): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>({
    ...sql.markDoNotCall,
    values: [input.organizationId, input.leadId, input.phoneNumber, timestamp(input.at)],
  });
  return rows.map(({ id }) => id);
}

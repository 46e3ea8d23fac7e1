import type { Queryable } from "../../database/database.ts";
import { findLead, findLeadByNumber } from "../leads/index.ts";
import type { OpenedCall } from "./open-call.ts";

/** Who is on the line: the call's lead, else the organization's lead with that number, else only the number. */
export async function personOf(
  on: Queryable,
  call: Pick<OpenedCall, "organizationId" | "leadId" | "to" | "from" | "isInbound">,
): Promise<{ leadId: string | null; phoneNumber: string | null }> {
  const { organizationId, leadId } = call;
  const number = call.isInbound ? call.from : call.to;
  if (leadId !== null) {
    const lead = await findLead(on, organizationId, leadId);
    return { leadId: lead?.id ?? null, phoneNumber: number ?? lead?.phone_number ?? null };
  }
  if (number === null) return { leadId: null, phoneNumber: null };
  const lead = await findLeadByNumber(on, organizationId, number);
  return { leadId: lead?.id ?? null, phoneNumber: number };
}

import type { Queryable } from "../../database/database.ts";
import { findLead, findLeadByNumber } from "../leads/index.ts";
import type { OpenedCall } from "./open-call.ts";

/** Who is on the line: the call's lead, else the organization's lead with that number, else only the number. */
export async function personOf(
  on: Queryable,
  call: Pick<OpenedCall, "organizationId" | "leadId" | "to">,
): Promise<{ leadId: string | null; phoneNumber: string | null }> {
  const { organizationId, leadId, to } = call;
  if (leadId !== null) {
    const lead = await findLead(on, organizationId, leadId);
    return { leadId: lead?.id ?? null, phoneNumber: to ?? lead?.phone_number ?? null };
  }
  if (to === null) return { leadId: null, phoneNumber: null };
  const lead = await findLeadByNumber(on, organizationId, to);
  return { leadId: lead?.id ?? null, phoneNumber: to };
}

import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { MembersDeps } from "./add-member.ts";
import { lockMember } from "./lock-member.ts";
import * as sql from "./members.sql.ts";

/** @throws DomainError organization_not_found, not_found, conflict (the last owner stays) */
export async function removeMember(
  deps: MembersDeps,
  input: { organizationId: string; memberId: string; actor: string },
): Promise<{ id: string; deleted: true }> {
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const { member, isLastOwner } = await lockMember(transaction, input);
    if (isLastOwner)
      throw new DomainError("conflict", "An organization keeps an owner: make another member one first.");
    await transaction.query({ ...sql.deleteMember, values: [organization.id, member.id] });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "member.removed",
      subjectType: "member",
      subjectId: member.id,
      details: { email_address: member.email_address, role: member.role },
    });
    return { id: member.id, deleted: true };
  });
}

import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { MembersDeps } from "./add-member.ts";
import { lockMember } from "./lock-member.ts";
import type { Member, MemberPatch } from "./members.schema.ts";
import * as sql from "./members.sql.ts";

/**
 * Changes a member's name or role. Values that stay the same leave no trace.
 * @throws DomainError nothing_to_update, organization_not_found, not_found, conflict (the last owner stays one)
 */
export async function changeMember(
  deps: MembersDeps,
  input: { organizationId: string; memberId: string; actor: string; changes: MemberPatch },
): Promise<Member> {
  const { changes } = input;
  if (Object.keys(changes).length === 0)
    throw new DomainError("nothing_to_update", "Name at least one field to change.");
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const { member, isLastOwner } = await lockMember(transaction, input);
    const { name, role } = { ...member, ...changes };
    if (name === member.name && role === member.role) return member;
    if (isLastOwner && role !== "owner")
      throw new DomainError("conflict", "An organization keeps an owner: make another member one first.");
    const [changed] = await transaction.query<Member>({
      ...sql.updateMember,
      values: [organization.id, member.id, name, role, timestamp(deps.clock.now())],
    });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "member.updated",
      subjectType: "member",
      subjectId: member.id,
      details: {
        ...(name === member.name ? {} : { name: { from: member.name, to: name } }),
        ...(role === member.role ? {} : { role: { from: member.role, to: role } }),
      },
    });
    return changed!;
  });
}

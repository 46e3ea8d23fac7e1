import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Member } from "./members.schema.ts";
import * as sql from "./members.sql.ts";

/** Reads a member that nobody else changes until the transaction ends. @throws DomainError not_found */
export async function lockMember(
  transaction: Queryable,
  input: { organizationId: string; memberId: string },
): Promise<{ member: Member; isLastOwner: boolean }> {
  const locked = await transaction.query<Member>({
    ...sql.lockMemberAndOwners,
    values: [input.organizationId, input.memberId],
  });
  const member = locked.find(({ id }) => id === input.memberId.toLowerCase());
  if (!member) throw new DomainError("not_found", "There is no such member in the organization.");
  const owners = locked.filter(({ role }) => role === "owner");
  return { member, isLastOwner: owners.length === 1 && owners[0] === member };
}

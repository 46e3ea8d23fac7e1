import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { normaliseEmail } from "../leads/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { Member, MemberAdd } from "./members.schema.ts";
import * as sql from "./members.sql.ts";

export interface MembersDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
}

/** @throws DomainError organization_not_found, invalid_request, conflict (the address is a member's already) */
export async function addMember(
  deps: MembersDeps,
  input: { organizationId: string; actor: string; member: MemberAdd },
): Promise<Member> {
  const { member: sent, actor } = input;
  const emailAddress = normaliseEmail(sent.email_address);
  if (emailAddress === null)
    throw new DomainError("invalid_request", "email_address must be an e-mail address.");
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const [member] = await transaction.query<Member>({
      ...sql.insertMember,
      values: [
        organization.id,
        deps.newId(),
        emailAddress,
        sent.name ?? null,
        sent.role,
        timestamp(deps.clock.now()),
      ],
    });
    if (!member) throw new DomainError("conflict", "This address is a member of the organization already.");
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor,
      action: "member.added",
      subjectType: "member",
      subjectId: member.id,
      details: { email_address: emailAddress, role: member.role },
    });
    return member;
  });
}

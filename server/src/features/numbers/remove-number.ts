import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { NumbersDeps } from "./add-number.ts";
import type { OwnedNumber, RemovedNumber } from "./numbers.schema.ts";
import * as sql from "./numbers.sql.ts";

/**
 * Takes a number from the organization.
 * @throws DomainError invalid_phone_number, organization_not_found, not_found; conflict while an agent holds it
 */
export async function removeNumber(
  deps: NumbersDeps,
  input: { organizationId: string; actor: string; phoneNumber: string },
): Promise<RemovedNumber> {
  const phoneNumber = canonicalNumber(input.phoneNumber);
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const key = [organization.id, phoneNumber];
    const [number] = await transaction.query<OwnedNumber>({ ...sql.lockNumber, values: key });
    if (!number) throw new DomainError("not_found", "The organization has no such number.");
    if (number.agent_id !== null) {
      throw new DomainError("conflict", `The agent ${number.agent_id} holds the number. Detach it first.`);
    }
    await transaction.query({ ...sql.deleteNumber, values: key });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "phone_number.removed",
      subjectType: "phone_number",
      subjectId: phoneNumber,
      details: { carrier: number.carrier, added_at: number.created_at },
    });
    return { id: phoneNumber, phone_number: phoneNumber, deleted: true };
  });
}

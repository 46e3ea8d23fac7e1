import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { CarrierName, OwnedNumber } from "./numbers.schema.ts";
import * as sql from "./numbers.sql.ts";

export interface NumbersDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
}

/**
 * Gives the organization a number to call from and to be called on. One that it has stays as it is.
 * @throws DomainError invalid_phone_number, organization_not_found; conflict for a sandbox, and for a number that the
 * organization has with another carrier
 */
export async function addNumber(
  deps: NumbersDeps,
  input: { organizationId: string; actor: string; phoneNumber: string; carrier?: CarrierName | undefined },
): Promise<{ number: OwnedNumber; added: boolean }> {
  const phoneNumber = canonicalNumber(input.phoneNumber);
  const organization = await readOrganization(deps, input.organizationId);
  if (organization.sandbox) {
    throw new DomainError(
      "conflict",
      "A sandbox organization has no carrier numbers: its voice is suspended.",
    );
  }
  return deps.database.transaction(async (transaction) => {
    const key = [organization.id, phoneNumber];
    for (;;) {
      const [added] = await transaction.query<OwnedNumber>({
        ...sql.insertNumber,
        values: [...key, input.carrier ?? "simulated", timestamp(deps.clock.now())],
      });
      if (added) {
        await recordAudit(deps, transaction, {
          organizationId: organization.id,
          actor: input.actor,
          action: "phone_number.added",
          subjectType: "phone_number",
          subjectId: phoneNumber,
          details: { carrier: added.carrier },
        });
        return { number: added, added: true };
      }
      const [number] = await transaction.query<OwnedNumber>({ ...sql.readNumber, values: key });
      if (number && input.carrier !== undefined && input.carrier !== number.carrier) {
        throw new DomainError(
          "conflict",
          `The organization has this number with the carrier ${number.carrier}. Remove it first.`,
        );
      }
      if (number) return { number, added: false };
      // It was removed between the two statements: add it after all.
    }
  });
}

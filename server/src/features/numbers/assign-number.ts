import type { Queryable } from "../../database/database.ts";
import type { OwnedNumber } from "./numbers.schema.ts";
import * as sql from "./numbers.sql.ts";

/** Holds the number for the rest of the transaction. @returns null when it isn't the organization's */
export async function holdNumber(
  transaction: Queryable,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<OwnedNumber | null> {
  const [number] = await transaction.query<OwnedNumber>({
    ...sql.lockNumber,
    values: [organizationId, phoneNumber],
  });
  return number ?? null;
}

/** Gives a number that is held, and that no other agent has, to an agent without a number. */
export async function assignNumber(
  transaction: Queryable,
  { organizationId, phoneNumber, agentId }: { organizationId: string; phoneNumber: string; agentId: string },
): Promise<void> {
  await transaction.query({ ...sql.assignNumber, values: [organizationId, phoneNumber, agentId] });
}

/** Takes the agent's number from it. @returns the number, or null when it had none */
export async function releaseNumberOf(
  transaction: Queryable,
  { organizationId, agentId }: { organizationId: string; agentId: string },
): Promise<string | null> {
  const [released] = await transaction.query<{ phone_number: string }>({
    ...sql.releaseNumberOf,
    values: [organizationId, agentId],
  });
  return released?.phone_number ?? null;
}

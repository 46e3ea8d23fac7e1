import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { OwnedNumber } from "./numbers.schema.ts";
import * as sql from "./numbers.sql.ts";

const NORTH_AMERICAN = /^\+1\d{10}$/;

/**
 * The number to call from: one with the destination's area code if there is any, else the one not used for longest.
 * It counts as used once the transaction commits.
 * @param toNumber E.164
 * @returns null when the organization has no number
 */
export async function pickCallerId(
  deps: { clock: Clock },
  transaction: Queryable,
  { organizationId, toNumber }: { organizationId: string; toNumber: string },
): Promise<OwnedNumber | null> {
  const areaCode = NORTH_AMERICAN.test(toNumber) ? toNumber.slice(0, "+1415".length) : null;
  const [picked] = await transaction.query<OwnedNumber>({
    ...sql.pickCallerId,
    values: [organizationId, toNumber, areaCode, timestamp(deps.clock.now())],
  });
  return picked ?? null;
}

/**
 * The number a request names to call from. It counts as used once the transaction commits.
 * @param phoneNumber E.164
 * @returns null when it isn't the organization's
 */
export async function takeCallerId(
  deps: { clock: Clock },
  transaction: Queryable,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<OwnedNumber | null> {
  const [taken] = await transaction.query<OwnedNumber>({
    ...sql.takeCallerId,
    values: [organizationId, phoneNumber, timestamp(deps.clock.now())],
  });
  return taken ?? null;
}

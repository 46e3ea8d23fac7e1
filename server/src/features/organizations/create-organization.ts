import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { openWallet } from "../billing/index.ts";
import type { Organization } from "./organizations.schema.ts";
import * as sql from "./organizations.sql.ts";
import { readTimeZone } from "./time-zone.ts";

export interface CreateOrganizationInput {
  actor: string;
  name: string;
  sandbox?: boolean | undefined;
  /** Tokens; default 0. Goes through the ledger. */
  balanceTokens?: number | undefined;
  /** Calls at the same time; default 10. */
  concurrencyLimit?: number | undefined;
  /** Tokens; default 10,000. */
  lowBalanceThreshold?: number | undefined;
  /** Tokens that a minute of a phone call costs; default 90. */
  phoneRatePerMinute?: number | undefined;
  /** Tokens that a minute of a browser call costs; default 60. */
  browserRatePerMinute?: number | undefined;
  /** IANA name; default America/New_York. */
  timezone?: string | undefined;
}

/**
 * Makes an organization with its wallet. A sandbox has its voice suspended for good.
 * @throws DomainError invalid_request for a time zone that doesn't exist
 */
export async function createOrganization(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: CreateOrganizationInput,
): Promise<Organization> {
  const timezone = readTimeZone(input.timezone ?? "America/New_York");
  const { name, sandbox = false, balanceTokens = 0, lowBalanceThreshold = 10_000 } = input;
  return deps.database.transaction(async (transaction) => {
    const id = deps.newId();
    await transaction.query({
      ...sql.insertOrganization,
      values: [
        id,
        name,
        sandbox,
        !sandbox,
        input.concurrencyLimit ?? 10,
        lowBalanceThreshold,
        timezone,
        timestamp(deps.clock.now()),
        input.phoneRatePerMinute ?? 90,
        input.browserRatePerMinute ?? 60,
      ],
    });
    await openWallet(deps, transaction, {
      organizationId: id,
      actor: input.actor,
      balance: balanceTokens,
      threshold: lowBalanceThreshold,
    });
    await recordAudit(deps, transaction, {
      organizationId: id,
      actor: input.actor,
      action: "organization.created",
      subjectType: "organization",
      subjectId: id,
      details: { name, sandbox, balance_tokens: balanceTokens },
    });
    const [organization] = await transaction.query<Organization>({ ...sql.readOrganization, values: [id] });
    return organization!;
  });
}

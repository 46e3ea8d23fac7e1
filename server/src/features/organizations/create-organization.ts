import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import * as sql from "./organizations.sql.ts";

export interface Organization {
  id: string;
  name: string;
  status: "active" | "suspended";
  sandbox: boolean;
  voice_enabled: boolean;
  concurrency_limit: number;
  low_balance_threshold: number;
  timezone: string;
  balance_tokens: number;
  created_at: string;
  updated_at: string;
}

export interface CreateOrganizationInput {
  actor: string;
  name: string;
  sandbox?: boolean | undefined;
  /** Calls at the same time; default 10. */
  concurrencyLimit?: number | undefined;
  /** Tokens; default 10,000. */
  lowBalanceThreshold?: number | undefined;
  /** IANA name; default America/New_York. */
  timezone?: string | undefined;
}

/** Makes an organization with an empty wallet. A sandbox has its voice suspended for good. */
export async function createOrganization(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: CreateOrganizationInput,
): Promise<Organization> {
  const timezone = input.timezone ?? "America/New_York";
  if (!Intl.supportedValuesOf("timeZone").includes(timezone) && timezone !== "UTC") {
    throw new DomainError(
      "invalid_request",
      `timezone must be an IANA time zone such as America/New_York, not "${timezone}".`,
    );
  }
  const sandbox = input.sandbox ?? false;
  return deps.database.transaction(async (transaction) => {
    const [organization] = await transaction.query<Organization>({
      ...sql.insertOrganization,
      values: [
        deps.newId(),
        input.name,
        sandbox,
        !sandbox,
        input.concurrencyLimit ?? 10,
        input.lowBalanceThreshold ?? 10_000,
        timezone,
        timestamp(deps.clock.now()),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId: organization!.id,
      actor: input.actor,
      action: "organization.created",
      subjectType: "organization",
      subjectId: organization!.id,
      details: { name: input.name, sandbox },
    });
    return organization!;
  });
}

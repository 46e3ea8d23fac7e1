import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import { changeThreshold } from "../billing/index.ts";
import { readHours } from "./appointment-hours.ts";
import type { Organization, OrganizationPatch } from "./organizations.schema.ts";
import * as sql from "./organizations.sql.ts";
import { readTimeZone } from "./time-zone.ts";

export interface UpdateOrganizationDeps extends OutboxDeps {
  database: Database;
  keysChanged(organizationId: string): void;
}

/**
 * Changes the fields sent and records in the audit log what each was and is; fields that keep their value leave no
 * trace. Reports `billing.low_balance` when the threshold is raised to the balance or past it.
 * @throws DomainError nothing_to_update, invalid_request (time zone, hours), organization_not_found,
 *   conflict (a sandbox's voice)
 */
export async function updateOrganization(
  deps: UpdateOrganizationDeps,
  input: { organizationId: string; actor: string; changes: OrganizationPatch },
): Promise<Organization> {
  const sent = { ...input.changes };
  if (Object.keys(sent).length === 0)
    throw new DomainError("nothing_to_update", "Name at least one field to change.");
  if (sent.timezone !== undefined) sent.timezone = readTimeZone(sent.timezone);
  if (sent.appointment_hours !== undefined) sent.appointment_hours = readHours(sent.appointment_hours);

  return deps.database.transaction(async (transaction) => {
    const { low_balance_threshold: threshold } = sent;
    // The wallet's lock comes before the organization's, here as everywhere.
    if (threshold !== undefined)
      await changeThreshold(deps, transaction, { organizationId: input.organizationId, threshold });
    const [before] = await transaction.query<Organization>({
      ...sql.lockOrganization,
      values: [input.organizationId],
    });
    if (!before) throw new DomainError("organization_not_found", "There is no such organization.");
    if (before.sandbox && sent.voice_enabled)
      throw new DomainError("conflict", "A sandbox places no calls: its voice can't be switched on.");

    const changes = changesBetween(before, sent);
    if (Object.keys(changes).length === 0) return before;
    const after = { ...before, ...sent, updated_at: timestamp(deps.clock.now()) };
    await transaction.query({
      ...sql.updateOrganization,
      values: [
        after.id,
        after.name,
        after.status,
        after.voice_enabled,
        after.concurrency_limit,
        after.low_balance_threshold,
        after.timezone,
        after.updated_at,
        after.phone_rate_per_minute,
        after.browser_rate_per_minute,
        after.daily_attempt_cap,
        JSON.stringify(after.appointment_hours),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId: after.id,
      actor: input.actor,
      action: "organization.updated",
      subjectType: "organization",
      subjectId: after.id,
      details: { changes },
    });
    transaction.afterCommit(() => deps.keysChanged(after.id));
    return after;
  });
}

function changesBetween(
  before: Organization,
  sent: OrganizationPatch,
): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(sent)
      .map(([field, to]) => [field, { from: before[field as keyof Organization], to }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}

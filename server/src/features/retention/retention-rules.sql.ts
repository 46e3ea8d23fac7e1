const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A rule about rows of one table. `condition` is SQL about the row `aged`, with `$before` for an instant. Where a rule is
 * found by id it may also use `$organization`, and `seen`: the ids of the rows that are looked at with this one.
 */
export interface Rule {
  /** Named in the log. */
  what: string;
  table: string;
  condition: string;
  /** The primary key after organization_id; default `id`, a UUIDv7 made when the row was. */
  key?: readonly string[];
}

export interface AgedRule extends Rule {
  keepMs: number;
}

/** The lowest UUIDv7 of a time. */
const lowestIdAt = (time: string) =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;

const seenAt = (which: "min" | "max") =>
  `(SELECT ${which}(occurred_at) FROM events WHERE organization_id = $organization AND id IN (SELECT id FROM seen))`;

/**
 * No delivery refers to the event. There is no index by event, which would cost every delivery twice: a delivery's id has
 * the time of its event, so those of all events looked at are read in one go, along the primary key.
 */
const UNREFERENCED = `aged.id NOT IN (
  SELECT delivery.event_id FROM webhook_deliveries AS delivery
  WHERE delivery.organization_id = $organization
    AND delivery.id >= ${lowestIdAt(seenAt("min"))}
    AND delivery.id < ${lowestIdAt(`${seenAt("max")} + interval '2 milliseconds'`)})`;

/** Idempotency records have no id to tell their age by, but an index on their time: they are found by it. */
export const forgottenAnswers: AgedRule = {
  what: "idempotency_records",
  table: "idempotency_records",
  key: ["api_key_id", "method", "path", "key"],
  keepMs: 24 * HOUR,
  condition: "aged.created_at <= $before",
};

/**
 * What is kept for how long, in the order of removal: an event goes once no delivery refers to it. The rows are found
 * by the time in their ids, in the order of the primary key, which costs those who write them no index.
 */
export const agedRules: readonly AgedRule[] = [
  {
    what: "finished_deliveries",
    table: "webhook_deliveries",
    keepMs: 30 * DAY,
    condition: "aged.state IN ('delivered', 'discarded') AND aged.finished_at < $before",
  },
  {
    what: "dead_letters",
    table: "webhook_deliveries",
    keepMs: 90 * DAY,
    condition: "aged.state = 'dead_letter' AND aged.finished_at < $before",
  },
  {
    what: "events",
    table: "events",
    keepMs: 30 * DAY,
    condition: `aged.occurred_at < $before AND ${UNREFERENCED}`,
  },
];

/** A sandbox whose keys were not used for this long loses what `sandboxRules` name. */
export const SANDBOX_IDLE_MS = 90 * DAY;

/**
 * What an idle sandbox loses, in the order of removal; `$before` is the moment it was found idle, and what was touched
 * later stays, and so does what that refers to. Its idempotency records are long gone by their own rule. The organization, its keys, members, wallet,
 * agents, do-not-call list and audit log stay.
 */
export const sandboxRules: readonly Rule[] = [
  { what: "webhooks", table: "webhook_subscriptions", condition: "aged.updated_at < $before" },
  {
    what: "deliveries",
    table: "webhook_deliveries",
    condition: "aged.created_at < $before",
  },
  { what: "events", table: "events", condition: `aged.occurred_at < $before AND ${UNREFERENCED}` },
  {
    what: "appointments",
    table: "appointments",
    condition: "coalesce(aged.updated_at, aged.created_at) < $before",
  },
  {
    what: "leads",
    table: "leads",
    condition: `coalesce(aged.updated_at, aged.created_at) < $before AND NOT EXISTS (
      SELECT FROM appointments AS one WHERE one.organization_id = aged.organization_id AND one.lead_id = aged.id)`,
  },
  {
    what: "campaigns",
    table: "campaigns",
    condition: `coalesce(aged.updated_at, aged.created_at) < $before AND NOT EXISTS (
      SELECT FROM leads AS lead WHERE lead.organization_id = aged.organization_id AND lead.campaign_id = aged.id)`,
  },
  {
    what: "import_job_rows",
    table: "import_job_rows",
    key: ["job_id", "row_number", "ordinal"],
    condition: `EXISTS (
      SELECT FROM import_jobs AS job
      WHERE job.organization_id = aged.organization_id AND job.id = aged.job_id AND job.created_at < $before)`,
  },
  { what: "import_jobs", table: "import_jobs", condition: "aged.created_at < $before" },
];

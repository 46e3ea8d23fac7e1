import { outboxParts } from "../../events/outbox.sql.ts";

/** $1 organization, $2 job, $3 campaign, $4 now */
export const startJob = {
  name: "import-start",
  text: `INSERT INTO import_jobs (organization_id, id, campaign_id, state, created_at) VALUES ($1, $2, $3, 'running', $4)`,
};

/** $1 organization, $2 job, $3 `finished` or `failed`, $4 now */
export const endJob = {
  name: "import-end",
  text: "UPDATE import_jobs SET state = $3, finished_at = $4 WHERE organization_id = $1 AND id = $2",
};

/** Runs across organizations: a table of one row for each import is soon read. $1 begun before, $2 now */
export const failAbandoned = {
  name: "import-fail-abandoned",
  text: `
    UPDATE import_jobs SET state = 'failed', finished_at = $2
    WHERE state = 'running' AND created_at < $1
    RETURNING id`,
};

/**
 * Upserts the rows of one batch, reports each, queues the deliveries, stores what the job keeps of the batch's broken
 * rows and adds to the job's counts: one statement, so that a job that dies has counted exactly what is in place.
 * Numbers must differ from row to row. Ordered as the other lead writes are, so that they can't deadlock.
 * `status` and `consent_source` come as objects by phone number: an insert must know its default and an update must
 * know that nothing was sent, and `excluded` could tell only one of the two.
 * $1 organization, $2 job, $3 campaign, $4 now, $5–$13 the rows, $14 statuses, $15 consent sources,
 * $16–$18 added to total, failed and warnings, $19–$24 notes
 */
export const writeBatch = {
  name: "import-batch",
  text: `
    WITH input AS (
      SELECT * FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::int[], $13::float8[])
        AS input (id, event_id, phone_number, first_name, last_name, email_address, consented_at, credit_score, annual_income)
    ), written AS (
      INSERT INTO leads AS lead (organization_id, id, phone_number, first_name, last_name, email_address, status, campaign_id,
        consent_source, consented_at, credit_score, annual_income, source_tag, created_at, updated_at)
      SELECT $1::uuid, id, phone_number, first_name, last_name, email_address, coalesce($14::jsonb ->> phone_number, 'new'), $3::uuid,
        coalesce($15::jsonb ->> phone_number, 'csv_import'), consented_at, credit_score, annual_income,
        'csv:' || $2::uuid, $4::timestamptz, $4::timestamptz
      FROM input
      ORDER BY phone_number
      ON CONFLICT (organization_id, phone_number) DO UPDATE SET
        first_name = coalesce(excluded.first_name, lead.first_name),
        last_name = coalesce(excluded.last_name, lead.last_name),
        email_address = coalesce(excluded.email_address, lead.email_address),
        status = coalesce($14::jsonb ->> excluded.phone_number, lead.status),
        campaign_id = coalesce(excluded.campaign_id, lead.campaign_id),
        consent_source = coalesce($15::jsonb ->> excluded.phone_number, lead.consent_source),
        consented_at = coalesce(excluded.consented_at, lead.consented_at),
        credit_score = coalesce(excluded.credit_score, lead.credit_score),
        annual_income = coalesce(excluded.annual_income, lead.annual_income),
        version = lead.version + 1,
        updated_at = excluded.updated_at
      RETURNING id, phone_number, version
    ), reported AS (
      SELECT $1::uuid AS organization_id, input.event_id,
             CASE WHEN written.version = 1 THEN 'lead.created' ELSE 'lead.updated' END AS type,
             json_build_object('lead_id', written.id, 'source', 'csv_import', 'job_id', $2::uuid) AS data,
             $4::timestamptz AS occurred_at
      FROM written JOIN input USING (phone_number)
    ), ${outboxParts}, noted AS (
      INSERT INTO import_job_rows (organization_id, job_id, row_number, ordinal, kind, code, column_name, raw_row)
      SELECT $1, $2, * FROM unnest($19::int[], $20::int[], $21::text[], $22::text[], $23::text[], $24::json[])
    ), counted AS (
      SELECT count(*) FILTER (WHERE version = 1)::int AS inserted, count(*) FILTER (WHERE version > 1)::int AS updated FROM written
    ), progressed AS (
      UPDATE import_jobs AS job SET
        total = job.total + $16::int,
        inserted = job.inserted + counted.inserted,
        updated = job.updated + counted.updated,
        failed = job.failed + $17::int,
        warnings = job.warnings + $18::int
      FROM counted
      WHERE job.organization_id = $1 AND job.id = $2
    )
    SELECT inserted, updated, (SELECT count(*)::int FROM queued_deliveries) AS queued FROM counted`,
};

const jobColumns = `id, campaign_id, state, total, inserted, updated, skipped, failed, warnings AS warning_count,
  created_at, finished_at`;

/** Newest first. $1 organization, $2 limit, $3 offset */
export const listJobs = {
  name: "imports-list",
  text: `SELECT ${jobColumns} FROM import_jobs WHERE organization_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
};

export const readJob = {
  name: "import-read",
  text: `SELECT ${jobColumns} FROM import_jobs WHERE organization_id = $1 AND id = $2`,
};

/** In file order. $1 organization, $2 job, $3 `error` or `warning`, $4 limit, $5 offset */
export const listRows = {
  name: "import-rows",
  text: `
    SELECT row_number, code, column_name AS "column", raw_row FROM import_job_rows
    WHERE organization_id = $1 AND job_id = $2 AND kind = $3
    ORDER BY row_number, ordinal LIMIT $4 OFFSET $5`,
};

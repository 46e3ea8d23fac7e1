import type { Database } from "../server/src/database/database.ts";

/** Inserts `count` leads, each a millisecond after the other, straight into the table; answers the ids of the first ones. */
export async function insertLeads(
  database: Database,
  organizationId: string,
  count: number,
): Promise<string[]> {
  const at = "timestamptz '2026-01-01' + n * interval '1 millisecond'";
  await database.withConnection((client) =>
    client.query({
      text: `
        INSERT INTO leads (organization_id, id, phone_number, first_name, last_name, email_address, status, consent_source,
          consented_at, credit_score, annual_income, source_tag, created_at, updated_at)
        SELECT $1, uuid_v7_at((extract(epoch FROM ${at}) * 1000)::bigint), '+1' || (2000000000 + n), 'First' || n, 'Last, "' || n || '"',
          'lead' || n || '@example.com', (ARRAY['new', 'contacted', 'no_answer'])[1 + n % 3], 'web_form', ${at}, 300 + n % 551, 1000 + n,
          'api:standalone', ${at}, ${at}
        FROM generate_series(1, $2::int) AS n`,
      values: [organizationId, count],
      // A million rows take longer than a request may.
      query_timeout: 600_000,
    } as never),
  );
  const rows = await database.query<{ id: string }>({
    text: "SELECT id FROM leads WHERE organization_id = $1 ORDER BY created_at LIMIT 10",
    values: [organizationId],
  });
  return rows.map(({ id }) => id);
}

import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { listCalls } from "./calls.sql.ts";

let app: TestService;
beforeAll(async () => {
  app = await startTestService();
});
afterAll(() => app.close());

it("finds calls by their status without reading all the others", async () => {
  const { organizationId, key } = await app.newOrganization();
  await app.database.query({
    text: `
      INSERT INTO calls (organization_id, id, origin, medium, status, call_template, template_context, metadata, rate_per_minute,
        transcript_status, owner_id, lease_until, created_at, ended_at)
      SELECT $1, gen_random_uuid(), 'api', 'browser', CASE WHEN n < 4 THEN 'in-progress' ELSE 'completed' END, '{}', '{}', '{}', 60,
        'pending', gen_random_uuid(), now() + interval '1 hour', now(), CASE WHEN n < 4 THEN NULL ELSE now() END
      FROM generate_series(1, 20000) AS n`,
    values: [organizationId],
  });
  await app.database.query({ text: "ANALYZE calls" });
  const planOf = async (status: string) => {
    const { text, values } = listCalls(organizationId, { status }, 50, 0);
    return JSON.stringify(await app.database.query({ text: `EXPLAIN ${text}`, values: values ?? [] }));
  };
  expect(await planOf("in-progress")).toContain("calls_live");
  expect(await planOf("canceled")).toContain("calls_by_end");
  const { body } = await app.call<{ data: unknown[] }>("/v1/calls?status=in-progress", { key });
  expect(body.data).toHaveLength(3);
  const ended = await app.call<{ data: unknown[] }>("/v1/calls?status=completed&limit=2", { key });
  expect(ended.body.data).toHaveLength(2);
  expect((await app.call<{ data: unknown[] }>("/v1/calls?status=constructor", { key })).body.data).toEqual(
    [],
  );
});

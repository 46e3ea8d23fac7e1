import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

/** The database refuses what the tests below put into it: everything else is real. */
const FAULTS = `
  CREATE SEQUENCE deadlocks;
  CREATE FUNCTION faults() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    CASE NEW.first_name
      WHEN 'poison' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '22P05';
      WHEN 'broken' THEN RAISE EXCEPTION 'broken' USING ERRCODE = 'P0001';
      WHEN 'cut' THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1);
      WHEN 'deadlock' THEN
        IF nextval('deadlocks') < 3 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
      ELSE NULL;
    END CASE;
    RETURN NEW;
  END $$;
  CREATE TRIGGER faults BEFORE INSERT OR UPDATE ON leads FOR EACH ROW EXECUTE FUNCTION faults()`;

describe("an import", () => {
  let app: TestService;
  let key: string;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService();
    await app.database.query({ text: FAULTS });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ key, organizationId } = await app.newOrganization());
  });

  /** As many rows as asked for, with these first names at their (1-based) row numbers. */
  const file = (rows: number, names: Record<number, string> = {}, from = 0) =>
    `phone_number,first_name\n${Array.from(
      { length: rows },
      (_, index) => `+1415${5_550_000 + from + index},${names[index + 1] ?? "ok"}`,
    ).join("\n")}\n`;
  const send = (csv: string) => app.call("/v1/leads/bulk", { key, json: { csv } });
  const counts = async () => {
    const [row] = await app.database.query<{ leads: number; events: number; versions: number }>({
      text: `SELECT (SELECT count(*) FROM leads WHERE organization_id = $1)::int AS leads,
                    (SELECT coalesce(sum(version), 0) FROM leads WHERE organization_id = $1)::int AS versions,
                    (SELECT count(*) FROM events WHERE organization_id = $1)::int AS events`,
      values: [organizationId],
    });
    return row!;
  };
  const lastJob = async () => {
    const path = `/private/v1/organizations/${organizationId}/imports`;
    const { body } = await app.callPrivate<{ data: { id: string }[] }>(path);
    return (await app.callPrivate<Record<string, unknown>>(`${path}/${body.data[0]!.id}`)).body;
  };

  it("keeps a row that the database refuses as an error, and takes the others of its batch", async () => {
    const { status, body } = await send(file(1200, { 2: "poison", 1150: "poison" }));
    expect(status).toBe(202);
    expect(body).toMatchObject({ total: 1200, inserted: 1198, updated: 0, failed: 2 });
    expect(await counts()).toEqual({ leads: 1198, versions: 1198, events: 1198 });
    const code = "refused_by_database:22P05";
    expect(await lastJob()).toMatchObject({
      state: "finished",
      total: 1200,
      inserted: 1198,
      failed: 2,
      errors: [
        { row_number: 2, code, column: null, raw_row: "+14155550001,poison" },
        { row_number: 1150, code, column: null, raw_row: "+14155551149,poison" },
      ],
    });
  });

  it("counts every row once when a batch with errors, warnings and duplicates has to go in singly", async () => {
    const csv = [
      "phone_number,first_name,credit_score",
      "4155550100,a,900",
      "bad,b,700",
      "4155550100,poison,700",
      "4155550100,c,",
      "4155550101,d,1",
    ].join("\n");
    const { body } = await send(csv);
    expect(body).toMatchObject({ total: 5, inserted: 2, updated: 1, failed: 2 });
    expect(await lastJob()).toMatchObject({
      total: 5,
      inserted: 2,
      updated: 1,
      failed: 2,
      warning_count: 2,
      errors: [{ row_number: 2 }, { row_number: 3 }],
      warnings: [{ row_number: 1 }, { row_number: 5 }],
    });
  });

  it("runs a batch again after a deadlock", async () => {
    expect((await send(file(10, { 5: "deadlock" }))).body).toMatchObject({ inserted: 10, failed: 0 });
    expect(await counts()).toEqual({ leads: 10, versions: 10, events: 10 });
  });

  it.each(["broken", "cut"])(
    "that breaks off (%s) leaves whole batches with their events, and says so",
    async (fault) => {
      const answer = await send(file(3000, { 2500: fault }));
      expect(answer).toMatchObject({ status: 500, body: { error: "import_failed" } });
      expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
      expect(JSON.stringify(answer.body)).not.toContain("relation");
      expect(await counts()).toEqual({ leads: 2000, versions: 2000, events: 2000 });
      expect(await lastJob()).toMatchObject({ state: "failed", total: 2000, inserted: 2000, failed: 0 });
      const again = await send(file(3000));
      expect(again.body).toMatchObject({ total: 3000, inserted: 1000, updated: 2000, failed: 0 });
      expect(await counts()).toEqual({ leads: 3000, versions: 5000, events: 5000 });
    },
  );

  it("beside others of the same numbers, and beside single writes, counts right", async () => {
    const lines = file(2500).trim().split("\n");
    const reversed = [lines[0], ...lines.slice(1).reverse()].join("\n");
    const single = async () => {
      const answers: number[] = [];
      for (let index = 0; index < 2500; index += 125) {
        const created = await app.call("/v1/leads", {
          key,
          json: { phone_number: `+1415${5_550_000 + index}` },
        });
        answers.push(created.status);
      }
      return answers;
    };
    const [one, two, three, statuses] = await Promise.all([
      send(lines.join("\n")),
      send(reversed),
      send(lines.join("\n")),
      single(),
    ]);
    const inserted = [one, two, three].map(({ body }) => Number(body.inserted));
    const updated = [one, two, three].map(({ body }) => Number(body.updated));
    expect([one.status, two.status, three.status]).toEqual([202, 202, 202]);
    for (const index of [0, 1, 2]) expect(inserted[index]! + updated[index]!).toBe(2500);
    const created = statuses.filter((status) => status === 201).length;
    expect(inserted.reduce((sum, count) => sum + count) + created).toBe(2500);
    const writes = 7500 + statuses.length;
    expect(await counts()).toEqual({ leads: 2500, versions: writes, events: writes });
  });
});

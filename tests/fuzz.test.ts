import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../server/src/testing/harness.ts";

/**
 * Whatever is sent to whichever route, the answer is one that the contract has: never a failure of the service, always
 * the envelope and a request id.
 */

const RUNS_PER_ROUTE = 60;

let app: TestService;
let key: string;
let organizationId: string;
let knownIds: string[];

beforeAll(async () => {
  app = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
  ({ key, organizationId } = await app.newOrganization());
  const lead = await app.call("/v1/leads", { key, json: { phone_number: "4155550100" } });
  const webhook = await app.call("/v1/webhooks", {
    key,
    json: { target_url: "http://127.0.0.1:9/", event_types: ["*"], name: "off" },
  });
  await app.call(`/v1/webhooks/${webhook.body.id}`, { method: "PATCH", key, json: { enabled: false } });
  const campaign = await app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns`, {
    json: { name: "C" },
  });
  knownIds = [lead, webhook, campaign].map(({ body }) => String(body.id));
});
afterAll(() => app.close());

const oddText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "a\udc00",
    "'; DROP TABLE leads; --",
    "%00",
    "\u202e",
    "x".repeat(5000),
    "null",
    "1e309",
    "-0",
    "٤١٥٥٥٥٠١٠٠",
  ),
);
const oddNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(1e300, -1e300, 5e-324, 2 ** 53, -1, 0, 299, 300, 850, 851),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: "small" },
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(oddText, { maxLength: 3 }),
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    "4155550100",
    "2026-01-05",
    "0001-01-01",
    "9999-12-31T23:59:59.999+14:00",
    "a@b.co",
    "*",
    ["*"],
    "http://127.0.0.1:9/",
    "https://[::1]/",
    true,
  ),
);

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const oddBody = (fields: string[]) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .dictionary(fc.constantFrom(...(fields.length > 0 ? fields : ["x"])), oddValue)
        .map((value) => JSON.stringify(value)),
    },
    {
      weight: 2,
      arbitrary: fc
        .dictionary(
          fc.oneof(oddText, fc.constantFrom("__proto__", "constructor", "organization_id")),
          oddValue,
        )
        .map((value) => JSON.stringify(value)),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(
        oddText,
        fc.constantFrom(
          "{",
          "[]",
          "null",
          '{"a":1',
          deep(20_000),
          `{"a":${deep(5_000)}}`,
          '{"phone_number":1e999}',
          '{"a":1,"a":2}',
          "\ufeff{}",
        ),
      ),
    },
  );
const oddId = () =>
  fc.oneof(
    fc.constantFrom(...knownIds),
    fc.uuid(),
    oddText.map(encodeURIComponentSafely),
    fc.constantFrom("%", "%zz", "..", "a".repeat(5000), "%00", "null"),
  );

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed()) || "x";
}

async function check(
  port: "public" | "private",
  method: string,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<void> {
  const send = port === "public" ? app.call : app.callPrivate;
  const response = await send(path, {
    method,
    ...(port === "public" ? { key } : {}),
    ...(body === undefined ? {} : { body }),
    headers,
  });
  if (response.status >= 500) expect(response, `${method} ${path} ${body}`).toMatchObject({ status: 501 });
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  if (response.status >= 400) {
    const answer = response.body as { error: unknown; message: unknown; request_id: unknown };
    expect(answer.error, `${method} ${path} ${body}`).toMatch(/^[a-z0-9_]+(:.*)?$/s);
    expect(answer.message).toEqual(expect.any(String));
    expect(answer.request_id).toBe(response.headers.get("x-request-id"));
  }
}

const oddHeaders = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ "content-type": "application/json" } as Record<string, string>) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-type": "x" },
      { "content-type": "application/json", "idempotency-key": "k" },
      { "content-type": "application/json", "idempotency-key": "" },
      { "content-type": "application/json", "idempotency-key": "é" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ),
  },
);

describe.each(["public", "private"] as const)("the %s API under odd input", (port) => {
  it("never fails", { timeout: 300_000 }, async () => {
    const routes = app.service.routes[port];
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const fields = Object.keys((route.body as { properties?: object } | undefined)?.properties ?? {});
      const queryFields = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
      const query = fc.dictionary(
        fc.constantFrom("limit", "offset", ...queryFields),
        fc.oneof(oddText, oddNumber.map(String)),
      );
      await fc.assert(
        fc.asyncProperty(
          oddId(),
          query,
          oddBody(fields),
          oddHeaders,
          async (id, parameters, body, headers) => {
            const prefix = port === "public" ? "/v1" : "/private/v1";
            const path = route.path
              .replace(":organization_id", port === "private" ? organizationId : id)
              .replace(/:\w+/g, id);
            const search = Object.entries(parameters).map(
              ([name, value]) => `${name}=${encodeURIComponentSafely(value)}`,
            );
            const hasBody = route.method !== "GET";
            await check(
              port,
              route.method,
              `${prefix}${path}${search.length > 0 ? `?${search.join("&")}` : ""}`,
              hasBody ? body : undefined,
              hasBody ? headers : {},
            );
          },
        ),
        { numRuns: RUNS_PER_ROUTE },
      );
    }
  });
});

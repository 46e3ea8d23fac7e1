import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { healthRoutes } from "../../server/src/admin/health-routes.ts";
import { type ApiDocument, apiDocuments } from "../../server/src/api-documents/index.ts";
import { eventCatalog } from "../../server/src/events/catalog.ts";
import { errorCodes, statusOf } from "../../server/src/http/error-codes.ts";
import { eventDataForms } from "../../server/src/http/openapi-webhooks.ts";
import { rootRoutes } from "../../server/src/public-routes.ts";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { ROOT, runRedocly } from "./redocly.ts";

interface Operation {
  operationId: string;
  description?: string;
  security?: unknown[];
  parameters?: { $ref?: string; name?: string }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
  responses: Record<string, { $ref?: string; "x-error-codes"?: string[]; headers?: object }>;
  "x-required-scope"?: string;
}
interface Document {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, unknown>;
  components: Record<string, Record<string, never>>;
}

const METHODS = ["get", "post", "patch", "put", "delete"];

let app: TestService;
let publicOne: ApiDocument;
let privateOne: ApiDocument;
beforeAll(async () => {
  [publicOne, privateOne] = apiDocuments() as [ApiDocument, ApiDocument];
  app = await startTestService();
});
afterAll(() => app.close());

/** `GET /leads/{id}` of every operation, and the operation. */
function operationsOf({ document }: ApiDocument): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries((document as unknown as Document).paths)) {
    for (const method of METHODS) {
      if (item[method]) operations.set(`${method.toUpperCase()} ${path}`, item[method]);
    }
  }
  return operations;
}

const titleOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

describe("the committed documents", () => {
  it("are what the routes make", async () => {
    for (const { file, text, operations } of [publicOne, privateOne]) {
      expect(operations).toBeGreaterThan(10);
      expect(await readFile(join(ROOT, file), "utf8"), `${file}: run "npm run generate"`).toBe(text);
      expect(text).toMatch(/^# Generated /);
    }
  });

  it("are made the same every time", () => {
    expect(apiDocuments().map(({ text }) => text)).toEqual([publicOne.text, privateOne.text]);
  });

  it("pass Redocly's strictest rules", async () => {
    for (const { file } of [publicOne, privateOne]) {
      const { status, output } = await runRedocly("lint", file, "--config", "openapi/redocly.yaml");
      expect({ file, status, output }).toMatchObject({ status: 0 });
      expect(output).toContain("validated in");
    }
  }, 90_000);

  it("would not pass with a mistake", async () => {
    const directory = await mkdtemp(join(tmpdir(), "outreach-lint-"));
    const file = join(directory, "broken.yaml");
    await writeFile(
      file,
      publicOne.text.replace("#/components/schemas/LeadPage", "#/components/schemas/Nothing"),
    );
    const { status, output } = await runRedocly("lint", file, "--config", "openapi/redocly.yaml");
    await rm(directory, { recursive: true });
    expect(status).toBe(1);
    expect(output).toContain("Nothing");
  }, 60_000);
});

describe("what is served and what is documented", () => {
  it("is the same on the public port", () => {
    const documented = [...operationsOf(publicOne).keys()].sort();
    expect(app.service.routes.public.map(titleOf).sort()).toEqual(documented);
    const atRoot = rootRoutes({ config: app.config } as never).map(titleOf);
    expect(atRoot.length).toBeGreaterThan(0);
    expect(atRoot.filter((title) => !documented.includes(title))).toEqual([]);
  });

  it("is the same on the private port", () => {
    const served = [...app.service.routes.private, ...healthRoutes({} as never)].map(titleOf);
    expect(served.sort()).toEqual([...operationsOf(privateOne).keys()].sort());
  });

  it("is reachable where the documents say, and nowhere else", async () => {
    const { key } = await app.newOrganization();
    for (const title of operationsOf(publicOne).keys()) {
      const [method, path] = title.split(" ") as [string, string];
      const { status, body } = await app.call(`/v1${path.replace(/\{\w+\}/g, "not-an-id")}`, { method, key });
      expect({ title, status, docs: body.docs }).not.toMatchObject({ status: 404, docs: expect.any(String) });
    }
    for (const path of ["/sdk/other.js", "/leads/x/y", "/openapi.json"]) {
      expect(await app.call(`/v1${path}`, { key })).toMatchObject({
        status: 404,
        body: { docs: `${app.config.public.url}/docs` },
      });
    }
  });

  it("includes the version", async () => {
    const { body } = await app.call<string>("/openapi.yaml");
    expect((parse(body) as Document).info.version).toBe("1.2.0");
    expect((await app.call("/v1")).body.version).toBe("1.2.0");
  });
});

describe("each operation of the public document", () => {
  it("names its scope, its errors by status, and the headers that stand on its answers", () => {
    const operations = operationsOf(publicOne);
    const routes = new Map(app.service.routes.public.map((route) => [titleOf(route), route]));
    for (const [title, operation] of operations) {
      const route = routes.get(title)!;
      if (route.access === "public" || route.access === "signature")
        expect(operation.security, title).toEqual([]);
      else if (route.access === "token") expect(operation.security, title).toEqual([{ accessToken: [] }]);
      else if (route.access !== "any_key") {
        expect(operation["x-required-scope"], title).toBe(route.access);
        expect(operation.description, title).toContain(`\`${route.access}\``);
      }
      const statuses = Object.keys(operation.responses);
      if (route.access !== "public")
        expect(statuses, title).toEqual(expect.arrayContaining(["401", "429", "500"]));
      for (const [status, response] of Object.entries(operation.responses)) {
        const resolved = resolve(publicOne, response);
        expect(resolved.headers, title).toHaveProperty("X-Request-Id");
        if (Number(status) < 400) continue;
        const codes = resolved["x-error-codes"]!;
        expect(codes.length, title).toBeGreaterThan(0);
        for (const code of codes) expect(statusOf(code), `${title} ${code}`).toBe(Number(status));
        if (!["public", "token", "signature"].includes(route.access) && status !== "401")
          expect(resolved.headers, title).toHaveProperty("X-RateLimit-Remaining");
        if (status === "429") expect(resolved.headers, title).toHaveProperty("Retry-After");
      }
      const parameters = (operation.parameters ?? []).map(({ $ref }) => $ref);
      expect(parameters.includes("#/components/parameters/Idempotency-Key"), title).toBe(
        route.idempotent === true,
      );
    }
  });

  it("has an example of the body it takes", () => {
    const { schemas } = (publicOne.document as unknown as Document).components;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: { schemas } });
    const bodies = [...operationsOf(publicOne)].filter(([, { requestBody }]) => requestBody);
    expect(bodies.length).toBeGreaterThan(3);
    for (const [title, { requestBody }] of bodies) {
      const reference = Object.values(requestBody!.content)[0]!.schema.$ref;
      expect(reference, `${title}: give its body's schema an x-name`).toBeDefined();
      const schema = schemas![reference!.split("/").at(-1)!] as unknown as { examples?: unknown[] };
      expect(
        schema.examples,
        `${title}: an example of ${reference} in api-documents/examples.ts`,
      ).toBeDefined();
    }
    let examples = 0;
    for (const [name, schema] of Object.entries(schemas!)) {
      for (const example of (schema as { examples?: unknown[] }).examples ?? []) {
        const validate = ajv.getSchema(`document#/components/schemas/${name}`)!;
        expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(eventCatalog.length);
  });
});

describe("the documents together", () => {
  it("name every error code that there is", () => {
    const named = new Set(
      [publicOne, privateOne].flatMap((one) =>
        [...operationsOf(one).values()].flatMap(({ responses }) =>
          Object.values(responses).flatMap((response) => resolve(one, response)["x-error-codes"] ?? []),
        ),
      ),
    );
    expect(Object.keys(errorCodes).filter((code) => !named.has(code))).toEqual([]);
  });

  it("describe the 14 event types with the catalog's fields", () => {
    const { webhooks } = publicOne.document as unknown as Document;
    expect(Object.keys(webhooks!)).toEqual(eventCatalog.map(({ type }) => type));
    expect(eventCatalog).toHaveLength(14);
    for (const { type, data_fields } of eventCatalog) {
      const fields = new Set(eventDataForms[type].flatMap((form) => Object.keys(form)));
      expect([...fields].sort(), type).toEqual([...data_fields].sort());
    }
  });
});

function resolve<T extends { $ref?: string }>({ document }: ApiDocument, value: T): T {
  if (value.$ref === undefined) return value;
  const [, , group, name] = value.$ref.split("/");
  return (document as unknown as Document).components[group!]![name!] as unknown as T;
}

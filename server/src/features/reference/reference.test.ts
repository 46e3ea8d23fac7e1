import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shippedFiles } from "../../shipped-files.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { readDocument } from "./read-document.ts";
import { referenceRoutes } from "./reference.routes.ts";

const PUBLIC_URL = "https://api.acme.test/outreach";
const PREFIXES = ["", "/v1", "/public/v1"];

let app: TestService;
beforeAll(async () => {
  app = await startTestService({ environment: { PUBLIC_URL } });
});
afterAll(() => app.close());

describe("the OpenAPI document", () => {
  it("is served without a key, at the root and under both prefixes, with the public address filled in", async () => {
    for (const prefix of PREFIXES) {
      for (const slash of ["", "/"]) {
        const { status, headers, body } = await app.call<string>(`${prefix}/openapi.yaml${slash}`);
        expect(status).toBe(200);
        expect(headers.get("content-type")).toBe("application/yaml");
        expect(body).not.toContain("localhost:8080");
        const document = parse(body);
        expect(document.info).toMatchObject({ version: "1.2.0", license: { name: "Apache-2.0" } });
        expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
          `${PUBLIC_URL}/v1`,
          `${PUBLIC_URL}/public/v1`,
        ]);
      }
    }
  });

  it("is not sent again to a client that has it", async () => {
    const first = await app.call("/openapi.yaml");
    const etag = first.headers.get("etag")!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await app.call("/openapi.yaml", { headers: { "if-none-match": known } });
      expect(again).toMatchObject({ status: 304, body: "" });
    }
    expect((await app.call("/openapi.yaml", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("of the private API is for the operator, on the private port only", async () => {
    const { status, body } = await app.callPrivate<string>("/private/v1/openapi.yaml");
    expect(status).toBe(200);
    expect(parse(body).paths["/organizations/{id}"]).toBeDefined();
    expect((await app.callPrivate("/private/v1/openapi.yaml", { key: "" })).status).toBe(401);
    expect((await app.call("/private/v1/openapi.yaml")).status).toBe(404);
  });

  it("keeps its shape whatever the public address has in it", async () => {
    const odd = "https://a.test/x%20y'z#q: {1}\n";
    const text = await readDocument(shippedFiles.openapi, odd, "spec_unavailable");
    expect(parse(text).servers[0].url).toMatch(/^https:\/\/a\.test\/x%20y%27z%23q:%20%7b1%7d%0a\/v1$/);
  });
});

describe("the guide", () => {
  it("is served as Markdown with the public address filled in", async () => {
    for (const prefix of PREFIXES) {
      const { status, headers, body } = await app.call<string>(`${prefix}/getting-started.md`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(body).toContain(`API=${PUBLIC_URL}/v1\n`);
      expect(body).not.toContain("localhost:8080");
    }
  });
});

describe("the reference page", () => {
  it("loads from this service alone, also with a trailing slash and under the prefixes", async () => {
    for (const prefix of PREFIXES) {
      for (const slash of ["", "/"]) {
        const { status, headers, body } = await app.call<string>(`${prefix}/docs${slash}`);
        expect(status).toBe(200);
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
        const addresses = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
        expect(addresses.filter((address) => address !== "data:,").length).toBe(4);
        for (const address of addresses) expect(address).toMatch(/^(data:,$|\/outreach\/)/);
      }
    }
  });

  it("has its script compressed, or as it is for a client that can't read that", async () => {
    const zipped = await get("/docs/reference.js", { "accept-encoding": "br, gzip;q=0.8" });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(zipped.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(zipped.body.length).toBeLessThan(1_200_000);
    for (const encoding of ["", "br", "gzip;q=0"]) {
      const plain = await get("/docs/reference.js", { "accept-encoding": encoding });
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(plain.headers.vary).toBe("accept-encoding");
      expect(plain.body.equals(gunzipSync(zipped.body))).toBe(true);
    }
    const known = await get("/docs/reference.js", { "if-none-match": zipped.headers.etag! });
    expect(known).toMatchObject({ status: 304 });
    expect(known.body.length).toBe(0);
  });

  it("has no other files", async () => {
    const { status, body } = await app.call("/docs/other.js");
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: "not_found", docs: `${PUBLIC_URL}/docs` });
  });
});

describe("the browser SDK", () => {
  it("is a module, and a script for a script element", async () => {
    for (const prefix of PREFIXES) {
      const module = await get(`${prefix}/sdk/voice.js`, {});
      const script = await get(`${prefix}/sdk/voice.js`, { "sec-fetch-mode": "no-cors" });
      for (const { status, headers } of [module, script]) {
        expect(status).toBe(200);
        expect(headers).toMatchObject({
          "content-type": "text/javascript; charset=utf-8",
          vary: "sec-fetch-mode",
        });
        expect(headers["access-control-allow-origin"]).toBeUndefined();
      }
      const exported: Record<string, unknown> = await import(
        `data:text/javascript;base64,${module.body.toString("base64")}`
      );
      expect(exported.connect).toBeInstanceOf(Function);
      const global = new Function(`${script.body}; return OutreachVoice;`)();
      expect(global.connect).toBeInstanceOf(Function);
      expect(module.body.length).toBeLessThan(10_000);
      const known = await get(`${prefix}/sdk/voice.js`, { "if-none-match": module.headers.etag! });
      expect(known.status).toBe(304);
      const other = { "if-none-match": module.headers.etag!, "sec-fetch-mode": "no-cors" };
      expect((await get(`${prefix}/sdk/voice.js`, other)).status).toBe(200);
    }
  });
});

describe("files that can't be read", () => {
  it("are answered with the contract's codes, and found again once they are back", async () => {
    const directory = await mkdtemp(join(tmpdir(), "outreach-reference-"));
    const files = {
      ...shippedFiles,
      openapi: join(directory, "o.yaml"),
      guide: join(directory, "g.md"),
      voiceModule: join(directory, "v.js"),
    };
    const routes = referenceRoutes({ config: { public: app.config.public } }, files);
    const call = (path: string) =>
      routes.find((route) => route.path === path)!.handle({ headers: {} } as never);
    await expect(call("/openapi.yaml")).rejects.toMatchObject({ code: "spec_unavailable" });
    await expect(call("/getting-started.md")).rejects.toMatchObject({ code: "guide_unavailable" });
    await expect(call("/sdk/voice.js")).rejects.toMatchObject({ code: "sdk_unavailable" });
    await writeFile(files.guide, "# Guide");
    expect(await call("/getting-started.md")).toMatchObject({ body: "# Guide" });
    await rm(directory, { recursive: true });
  });
});

/** Without fetch, which unpacks by itself. */
function get(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>(
    (resolve, reject) => {
      request(app.publicUrl + path, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers as Record<string, string | undefined>,
            body: Buffer.concat(chunks),
          }),
        );
        response.on("error", reject);
      })
        .on("error", reject)
        .end();
    },
  );
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../testing/harness.ts";

let app: TestService;
beforeAll(async () => {
  app = await startTestService({ environment: { PUBLIC_URL: "https://api.acme.test/outreach" } });
});
afterAll(() => app.close());

describe("the demo page", () => {
  it("is on the private port, loads from there alone, and talks to the public API", async () => {
    const page = await app.callPrivate<string>("/demo", { key: "" });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("connect-src 'self' https://api.acme.test;");
    expect(policy).not.toMatch(/unsafe|\*/);
    const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(2);
    for (const address of addresses.filter((one) => one !== "data:,")) {
      expect(address).toMatch(/^\/demo\//);
      const file = await app.callPrivate<string>(address, { key: "" });
      expect(file.status).toBe(200);
      expect(file.body.length).toBeGreaterThan(500);
    }
    expect((await app.call("/demo")).status).toBe(404);
  });

  it("starts nothing without the operator token", async () => {
    const { organizationId } = await app.newOrganization();
    const path = `/private/v1/organizations/${organizationId}/agents/${organizationId}/browser-calls`;
    expect((await app.callPrivate(path, { method: "POST", key: "" })).status).toBe(401);
    expect((await app.callPrivate(path, { method: "POST" })).status).toBe(404);
  });

  it("isn't there without the role", async () => {
    const other = await startTestService({ environment: { ROLES: "api" } });
    expect((await other.callPrivate("/demo", { key: "" })).status).toBe(404);
    await other.close();
  });
});

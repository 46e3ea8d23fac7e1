import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";

/** The reference page in a real browser: what it shows, what it asks for, and that a request can be tried out on it. */

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium && process.env.REQUIRE_ALL === "1") throw new Error(`There is no Chromium at ${CHROMIUM}.`);

/**
 * A validator in the page's script asks once whether it may make code from text. It may not, and goes another way: the
 * refusal is what the policy is for, and breaks nothing.
 */
const REFUSED_PROBE = "script-src eval";

let app: TestService;
let browser: Browser;

interface Opened {
  page: Page;
  /** The addresses asked for. */
  requests: string[];
  /** Violations of the page's policy and errors of its scripts. */
  faults: string[];
}

async function open(path: string): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const requests: string[] = [];
  const faults: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const [, violation] = /^violation: (.*)/.exec(message.text()) ?? [];
    if (violation) faults.push(violation);
    else if (message.type() === "error") faults.push(message.text());
  });
  // As text: it runs in the page, whose globals this side's compiler doesn't know.
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) => {
    console.warn("violation: " + event.effectiveDirective + " " + event.blockedURI);
  });`);
  await page.goto(app.publicUrl + path);
  await page.getByRole("heading", { name: "Outreach API", level: 1 }).waitFor();
  return { page, requests, faults };
}

/** What the sidebar shows once every group in it is open. */
async function sidebar(page: Page): Promise<string> {
  const groups = page.getByRole("navigation").getByRole("button", { name: /^Open Group (?!Models)/ });
  while ((await groups.count()) > 0) await groups.first().click();
  return ((await page.getByRole("navigation").textContent()) ?? "").replace(/\s+/g, " ");
}

describe.skipIf(!hasChromium)("the reference page in a browser", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    app = await startTestService();
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it("shows every operation, and asks nobody but this service", async () => {
    const document = parse((await app.call<string>("/openapi.yaml")).body);
    const operations = Object.values<Record<string, { summary: string }>>(document.paths).flatMap((path) =>
      Object.values(path),
    );
    const summaries = [...operations.map(({ summary }) => summary), ...Object.keys(document.webhooks)];
    expect(summaries.length).toBeGreaterThan(20);

    const { page, requests, faults } = await open("/docs");
    const text = await sidebar(page);
    expect(summaries.filter((summary) => !text.includes(summary))).toEqual([]);
    await page.waitForLoadState("networkidle");
    expect(new Set(requests)).toEqual(
      new Set(
        ["/docs", "/docs/reference.js", "/docs/start.js", "/openapi.yaml"].map(
          (path) => app.publicUrl + path,
        ),
      ),
    );
    expect(faults.filter((fault) => fault !== REFUSED_PROBE)).toEqual([]);
    await page.close();
  });

  it("works with a trailing slash and under the prefixes too", async () => {
    for (const path of ["/docs/", "/v1/docs", "/public/v1/docs/"]) {
      const { page, requests, faults } = await open(path);
      expect(await page.getByText(`${app.publicUrl}/v1`).first().isVisible()).toBe(true);
      expect(requests.filter((url) => !url.startsWith(`${app.publicUrl}/`))).toEqual([]);
      expect(faults.filter((fault) => fault !== REFUSED_PROBE)).toEqual([]);
      await page.close();
    }
  });

  it("tries requests out on this service, with the reader's key", async () => {
    const { organizationId, key } = await app.newOrganization();
    const { page, requests, faults } = await open("/docs");
    await page.getByPlaceholder("Token").first().fill(key);
    await page
      .getByRole("button", { name: /^Test Request.*\/account/ })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.url().endsWith("/account"));
    await page
      .getByRole("button", { name: /^Send get request/i })
      .first()
      .click();
    const response = await answered;
    expect(response.url()).toBe(`${app.publicUrl}/v1/account`);
    expect(response.status()).toBe(200);
    expect(await response.json()).toMatchObject({ id: organizationId });
    await page.getByRole("dialog").getByText("200 OK").waitFor();
    await page.getByRole("dialog").getByText(organizationId).first().waitFor();
    expect(requests.filter((url) => !url.startsWith(`${app.publicUrl}/`))).toEqual([]);
    expect(faults.filter((fault) => fault !== REFUSED_PROBE)).toEqual([]);
    await page.close();
  });
});

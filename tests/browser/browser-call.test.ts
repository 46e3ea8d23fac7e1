import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../server/src/testing/free-port.ts";
import { OPERATOR_TOKEN, startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { createSpeech } from "../../server/src/voice/speech/index.ts";
import { hasChromium, startChromium, writeMicrophone } from "./chromium.ts";
import { until } from "./until.ts";

/** Browser calls as a customer has them: the service, the SDK as it is served, a page of another origin, a real browser. */

const GREETING = "Hello. This is the agent of the test. I can talk for quite a while.";

let folder: string;
let app: TestService;
let browser: Browser;
let shop: Server;
let shopUrl: string;
let organizationId: string;
let key: string;
let agentId: string;

interface Session {
  access_token: string;
  connect_url: string;
}

async function startCall(): Promise<{ id: string; session: Session }> {
  const { status, body } = await app.call(`/v1/agents/${agentId}/calls`, {
    key,
    json: { medium: "browser" },
  });
  expect(status).toBe(201);
  return { id: body.id as string, session: body.browser_session as Session };
}

const readCall = async (id: string) => (await app.call(`/v1/calls/${id}`, { key })).body;

/** What a customer's page does with the SDK. It notes all that it is told. */
const JOIN = `async ({ connect_url: connectUrl, access_token: accessToken }) => {
  const told = { states: [], lines: [], errors: [], ended: null, loudest: { microphone: 0, agent: 0 }, now: null };
  window.told = told;
  try {
    window.call = await OutreachVoice.connect({ connectUrl, accessToken });
  } catch (error) {
    return error.code + ": " + error.message;
  }
  call.on("state", (state) => told.states.push(state));
  call.on("transcript", (line) => told.lines.push(line));
  call.on("error", ({ code }) => told.errors.push(code));
  call.on("ended", (ended) => { told.ended = ended; });
  call.on("level", (levels) => {
    told.now = levels;
    for (const side of ["microphone", "agent"]) told.loudest[side] = Math.max(told.loudest[side], levels[side]);
  });
  return "joined";
}`;

interface Told {
  states: string[];
  lines: { role: string; source: string; text: string; startMs: number; endMs: number }[];
  errors: string[];
  ended: { state: string; reason: string } | null;
  loudest: { microphone: number; agent: number };
  now: { microphone: number; agent: number } | null;
}

const joinCall = (page: Page, session: Session) =>
  page.evaluate<string>(`(${JOIN})(${JSON.stringify(session)})`);
const told = (page: Page) => page.evaluate<Told>("told");

async function openShop(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(shopUrl);
  return page;
}

describe.skipIf(!hasChromium)("a browser call", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outreach-browser-call-"));
    app = await startTestService({
      environment: { PORT: String(await freePort()), RTP_PORTS: "33000-33999" },
    });
    ({ organizationId, key } = await app.newOrganization());
    await app.callPrivate(`/private/v1/organizations/${organizationId}/wallet/credits`, {
      json: { tokens: 100_000 },
    });
    const template = { system_prompt: "Be kind.", greeting: GREETING, recording_enabled: true };
    const made = await app.call("/v1/agents", { key, json: { name: "Tester", call_template: template } });
    agentId = made.body.id as string;
    const speech = createSpeech();
    const words = await speech.synthesize(
      "Well, hello there. I would like to know more about this.",
      "marcus",
      16_000,
    );
    await speech.close();
    browser = await startChromium({ microphone: await writeMicrophone(join(folder, "voice.wav"), words) });
    shop = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<script src="${app.config.public.url}/sdk/voice.js"></script>`);
    });
    await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    shop?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("is heard both ways, written down, muted, hung up, recorded and paid", async () => {
    const { id, session } = await startCall();
    const page = await openShop();
    expect(await joinCall(page, session)).toBe("joined");
    await until(async () => (await told(page)).states.includes("in-progress"));
    await until(async () => {
      const { lines, loudest } = await told(page);
      const roles = lines.map(({ role }) => role);
      return (
        roles.includes("agent") && roles.includes("user") && loudest.agent > 0.02 && loudest.microphone > 0.02
      );
    }, 30_000);
    const { lines, errors } = await told(page);
    expect(lines.find(({ role }) => role === "agent")).toMatchObject({ source: "script" });
    // The person cut in: only what was played of it is written down.
    expect(lines.map(({ text }) => text).join(" ")).toMatch(/This call is recorded\. Hello\./);
    expect(lines.find(({ role }) => role === "user")).toMatchObject({
      source: "vad",
      text: expect.stringContaining("speech"),
    });
    expect(errors).toEqual([]);
    expect(await readCall(id)).toMatchObject({ status: "in-progress" });

    await page.evaluate("call.mute()");
    expect(await page.evaluate("call.muted")).toBe(true);
    await page.evaluate("call.unmute()");
    await page.evaluate("call.hangUp()");
    const { ended, states } = await told(page);
    expect(ended).toMatchObject({ state: "completed", reason: expect.any(String) });
    expect(states).toEqual(["in-progress", "completed"]);
    // The page is told first; then the end is stored.
    await until(async () => (await readCall(id)).ended_at !== null);
    const call = await readCall(id);
    expect(call).toMatchObject({ status: "completed", medium: "browser", direction: "web" });
    expect(call.duration as number).toBeGreaterThan(3);
    expect(call.cost_tokens).toBe(call.duration);
    expect(call.recording_url).toEqual(expect.any(String));
    const transcript = (await app.call(`/v1/calls/${id}/transcript`, { key })).body as {
      turns: { text: string }[];
    };
    const texts = transcript.turns.map(({ text }) => text);
    for (const { text } of lines) expect(texts).toContain(text);

    const { status, headers } = await app.call(`/v1/calls/${id}/recording`, { key });
    expect(status).toBe(302);
    const recording = Buffer.from(await (await fetch(headers.get("location")!)).arrayBuffer());
    expect(loudness(recording, 0)).toBeGreaterThan(100);
    expect(loudness(recording, 1)).toBeGreaterThan(100);
    await page.close();
  });

  it("takes digits, and is hung up from the service's side too", async () => {
    const { id, session } = await startCall();
    const page = await openShop();
    expect(await joinCall(page, session)).toBe("joined");
    await until(async () => (await readCall(id)).status === "in-progress");
    await page.evaluate('call.sendDigit("5")');
    await until(async () =>
      (await told(page)).lines.some(({ source, text }) => source === "dtmf" && text === "5"),
    );
    expect(await app.call(`/v1/calls/${id}/hangup`, { key, json: {} })).toMatchObject({
      status: 200,
      body: { status: "completed" },
    });
    await until(async () => (await told(page)).ended !== null);
    expect(await told(page)).toMatchObject({ ended: { state: "completed" }, errors: [] });
    await page.close();
  });

  it("ends as completed when its page is closed, and reports it", async () => {
    const { id, session } = await startCall();
    const page = await openShop();
    expect(await joinCall(page, session)).toBe("joined");
    await until(async () => (await readCall(id)).status === "in-progress");
    await page.close();
    await until(async () => (await readCall(id)).status === "completed", 9_000);
    const { body } = await app.call<{ status: string; call_outcome: string }>(`/v1/calls/${id}`, { key });
    expect(body.status).toBe("completed");
    const reported = await app.database.query<{ type: string }>({
      text: "SELECT type FROM events WHERE organization_id = $1 AND data->>'call_id' = $2",
      values: [organizationId, id],
    });
    expect(reported.map(({ type }) => type)).toContain("call.completed");
  });

  it("is joined once: its token is refused to the next, and to a page that makes one up", async () => {
    const { id, session } = await startCall();
    const page = await openShop();
    expect(await joinCall(page, session)).toBe("joined");
    const other = await openShop();
    expect(await joinCall(other, session)).toMatch(/^token_refused: /);
    expect(await joinCall(other, { ...session, access_token: "made-up" })).toMatch(/^token_refused: /);
    await until(async () => (await readCall(id)).status === "in-progress");
    await page.evaluate("call.hangUp()");
    await page.close();
    await other.close();
  });

  it("isn't joined without audio, by 400, after which the token is good for a better offer", async () => {
    const { session } = await startCall();
    const headers = { authorization: `Bearer ${session.access_token}`, "content-type": "application/json" };
    const page = await openShop();
    const sdp = await page.evaluate<string>(`(async () => {
      const connection = new RTCPeerConnection();
      connection.createDataChannel("events");
      return (await connection.createOffer()).sdp;
    })()`);
    const refused = await fetch(session.connect_url, {
      method: "POST",
      headers,
      body: JSON.stringify({ sdp, type: "offer" }),
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: "invalid_request",
      message: expect.stringContaining("no audio"),
    });
    expect(await joinCall(page, session)).toBe("joined");
    await page.evaluate("call.hangUp()");
    await page.close();
  });

  it("tells what a person can do about it when it can't be made", async () => {
    const page = await openShop();
    const gone = { connect_url: "http://127.0.0.1:9/", access_token: "x" };
    expect(await joinCall(page, gone)).toMatch(/^service_unreachable: .*can't be reached/);
    expect(await joinCall(page, { connect_url: "http://", access_token: "x" })).toMatch(/^invalid_session: /);
    await page.close();
    const strict = await startChromium({ microphone: join(folder, "voice.wav"), refuseMicrophone: true });
    const refused = await strict.newPage();
    await refused.goto(shopUrl);
    const { session } = await startCall();
    expect(await joinCall(refused, session)).toMatch(/^microphone_denied: .*address bar/);
    await strict.close();
  });

  it("is made by the page that the guide shows", async () => {
    const guide = (await app.call<string>("/getting-started.md")).body;
    const [, html] = /```html\n([\s\S]+?)```/.exec(guide)!;
    const site = createServer(async (request, response) => {
      if (request.method === "POST") {
        const json = { medium: "browser" };
        response.end(JSON.stringify((await app.call(`/v1/agents/${agentId}/calls`, { key, json })).body));
      } else response.setHeader("content-type", "text/html").end(html);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.getByRole("button", { name: "Talk" }).click();
    await page.getByText("in-progress").waitFor();
    await page.getByText("agent: This call is recorded.").waitFor();
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByText("completed").waitFor();
    await page.close();
    site.close();
  });

  it("is imported as a module by a page of the service's own origin", async () => {
    const page = await browser.newPage();
    await page.goto(`${app.publicUrl}/docs`);
    expect(await page.evaluate(`import("/sdk/voice.js").then(({ connect }) => typeof connect)`)).toBe(
      "function",
    );
    await page.close();
  });

  it("is made on the demo page, with one click", async () => {
    const page = await browser.newPage({ viewport: { width: 1180, height: 860 } });
    const requests = new Set<string>();
    const faults: string[] = [];
    page.on("request", (request) => requests.add(new URL(request.url()).origin));
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    const shoot = async (name: string) => {
      const to = process.env.SCREENSHOTS;
      if (to) await page.screenshot({ path: join(to, `${name}.png`) });
    };
    await page.goto(`${app.adminUrl}/demo#token=${OPERATOR_TOKEN}`);
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe("");
    await shoot("demo-ready");
    await page.getByRole("button", { name: "Call", exact: true }).press("Enter");
    await page.getByText("You are connected").waitFor();
    // The focus goes along with what can be done next.
    expect(await page.evaluate("document.activeElement.id")).toBe("hangup");
    await page.locator("#transcript li.agent").first().waitFor();
    await page.locator("#transcript li.user").first().waitFor({ timeout: 30_000 });
    await shoot("demo-talking");
    await page.getByRole("button", { name: "Mute" }).click();
    await page.getByRole("button", { name: "Unmute" }).waitFor();
    await page.getByRole("button", { name: "Hang up" }).press("Enter");
    await page.getByRole("heading", { name: "After the call" }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("start");
    expect(await page.locator("#facts").innerText()).toMatch(/\d+ tokens/);
    const player = page.locator("#recording audio");
    await player.waitFor();
    await until(() =>
      page.evaluate<boolean>(
        `(([audio]) => audio.readyState >= 1 && audio.duration > 1)(document.querySelectorAll("#recording audio"))`,
      ),
    );
    await shoot("demo-after");
    await page.getByRole("button", { name: "Call again" }).waitFor();
    expect(faults).toEqual([]);
    const own = [app.adminUrl, app.config.public.url].map((url) => new URL(url).origin);
    expect([...requests].filter((origin) => origin !== "null" && !own.includes(origin))).toEqual([]);
    await page.close();
  });

  it("needs the operator token on the demo page", async () => {
    const page = await browser.newPage();
    await page.goto(`${app.adminUrl}/demo#token=wrong-wrong-wrong-wrong`);
    await page.getByRole("heading", { name: "Operator token" }).waitFor();
    await page.getByLabel("Operator token").fill(OPERATOR_TOKEN);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    await page.close();
  });
});

/** Root mean square of one side of a stereo recording, by its µ-law bytes. */
function loudness(wav: Buffer, side: 0 | 1): number {
  const data = wav.subarray(wav.indexOf("data") + 8);
  let squares = 0;
  let count = 0;
  for (let at = side; at < data.length; at += 2) {
    const byte = ~data[at]! & 0xff;
    const magnitude = ((((byte & 0x0f) << 3) + 0x84) << ((byte >> 4) & 7)) - 0x84;
    squares += magnitude ** 2;
    count++;
  }
  return Math.sqrt(squares / count);
}

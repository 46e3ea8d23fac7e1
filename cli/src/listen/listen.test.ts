import type { ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestService, type TestService } from "../../../server/src/testing/harness.ts";
import { environmentOf, runCli, startCli } from "../testing/run-cli.ts";

let service: TestService;
let organizationId: string;
let key: string;

beforeAll(async () => {
  service = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
  ({ organizationId, key } = await service.newOrganization());
});
afterAll(() => service.close());

interface Listening {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  url: string;
  exited: Promise<number | null>;
}

const running: Listening[] = [];
afterEach(async () => {
  for (const { child, exited } of running.splice(0)) {
    if (child.exitCode === null) child.kill("SIGKILL");
    await exited;
  }
});

async function listen(
  words: string[],
  environment: Record<string, string> = environmentOf(service),
): Promise<Listening> {
  const child = startCli(["listen", "--port", "0", ...words], environment);
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const listening: Listening = { child, stdout: "", stderr: "", url: "", exited };
  running.push(listening);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    listening.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    listening.stderr += text;
  });
  await vi.waitFor(() => expect(listening.stderr).toContain("Listening on"), { timeout: 15_000 });
  listening.url = /Listening on (\S+)/.exec(listening.stderr)![1]!;
  return listening;
}

async function stop(listening: Listening): Promise<void> {
  listening.child.kill("SIGINT");
  // npx passes the terminal's Ctrl-C on.
  listening.child.kill("SIGINT");
  expect(await listening.exited).toBe(0);
}

const subscriptions = async () => (await service.call("/v1/webhooks", { key })).body.data as unknown[];

async function createLead(phoneNumber: string): Promise<string> {
  const { body } = await service.call("/v1/leads", { key, json: { phone_number: phoneNumber } });
  return body.id as string;
}

async function printed(listening: Listening, text: string | RegExp): Promise<void> {
  await vi.waitFor(() => expect(listening.stdout).toMatch(text), { timeout: 15_000 });
}

describe("subscribes for as long as it runs", () => {
  it("with a key", async () => {
    const listening = await listen(["--key", key]);
    expect(await subscriptions()).toHaveLength(1);
    const leadId = await createLead("2125550100");
    await printed(listening, /lead\.created {2}[0-9a-f-]{36} {2}attempt 1 {2}✔ verified/);
    await printed(listening, `"lead_id": "${leadId}"`);
    await stop(listening);
    expect(await subscriptions()).toEqual([]);
  });

  it("as the operator, with a key that is revoked afterwards", async () => {
    const listening = await listen(["--org", organizationId, "--json"]);
    const leadId = await createLead("2125550101");
    await printed(listening, leadId);
    expect(JSON.parse(listening.stdout.split("\n")[0]!)).toMatchObject({
      type: "lead.created",
      attempt: 1,
      signature: "verified",
      body: { type: "lead.created", organization_id: organizationId, data: { lead_id: leadId } },
    });
    await stop(listening);
    expect(await subscriptions()).toEqual([]);
    const keys = await service.callPrivate<{ data: { name: string; status: string }[] }>(
      `/private/v1/organizations/${organizationId}/keys`,
    );
    expect(keys.body.data.filter(({ name }) => name === "outreach listen")).toMatchObject([
      { status: "revoked" },
    ]);
  });

  it("to the only live organization when none is named", async () => {
    const listening = await listen([]);
    expect(listening.stderr).toContain(`of organization ${organizationId}`);
    await createLead("2125550102");
    await printed(listening, "✔ verified");
    await stop(listening);
  });

  it("and again after it was killed", async () => {
    const killed = await listen(["--key", key]);
    killed.child.kill("SIGKILL");
    await killed.exited;
    expect(await subscriptions()).toHaveLength(1);
    const { port } = new URL(killed.url);
    const listening = await listen(["--key", key, "--port", port]);
    expect(await subscriptions()).toHaveLength(1);
    await stop(listening);
    expect(await subscriptions()).toEqual([]);
  });
});

describe("just receives", () => {
  it("and says what makes a true signature out of time", async () => {
    const secret = `whsec_${"1".repeat(64)}`;
    const listening = await listen(["--secret", secret]);
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    const v1 = createHmac("sha256", secret).update(`${tomorrow}.{}`).digest("hex");
    const headers = { "x-service-signature-256": `t=${tomorrow},v1=${v1}` };
    await fetch(listening.url, { method: "POST", headers, body: "{}" });
    await printed(listening, "300 s from this machine's (does the service run with CLOCK_START?)");
    await stop(listening);
  });

  it("and checks with the secrets given: verified, of another secret, and none", async () => {
    const made = (url: string) =>
      service.call("/v1/webhooks", { key, json: { target_url: url, event_types: ["lead.created"] } });
    const first = await listen(["--secret", `whsec_${"0".repeat(64)}`]);
    const { body: webhook } = await made(first.url);
    await createLead("2125550103");
    await printed(first, "✘ not verified: it was signed with another secret");
    await stop(first);

    const { port } = new URL(first.url);
    const second = await listen([
      ...["--port", port, "--secret", `whsec_${"0".repeat(64)}`, "--secret", webhook.secret as string],
    ]);
    await createLead("2125550104");
    await printed(second, "✔ verified");
    await stop(second);

    const third = await listen(["--port", port]);
    expect(third.stderr).toContain(`Subscription ${webhook.id} sends here already`);
    await createLead("2125550105");
    await printed(third, "– not checked: no secret given");
    await stop(third);
    await service.call(`/v1/webhooks/${webhook.id}`, { key, method: "DELETE" });
  });

  it("where no service is", async () => {
    const listening = await listen([], { ADMIN_URL: "http://127.0.0.1:9", ADMIN_TOKEN: "x" });
    expect(listening.stderr).toContain("Not subscribed: http://127.0.0.1:9 doesn't answer");
    const answer = await fetch(listening.url, { method: "POST", body: "\u001b[2Jhello" });
    expect(answer.status).toBe(200);
    await printed(listening, /\(not a JSON object\) \\u001b\[2Jhello/);
    expect((await fetch(listening.url)).status).toBe(405);
    await stop(listening);
  });
});

it("answers what it is told to, so that retries can be seen", async () => {
  const listening = await listen(["--key", key, "--status", "503"]);
  const leadId = await createLead("2125550106");
  await printed(listening, leadId);
  await vi.waitFor(
    async () => {
      const { body } = await service.callPrivate<{ data: { state: string; last_status_code: number }[] }>(
        `/private/v1/organizations/${organizationId}/deliveries?state=retrying`,
      );
      expect(body.data).toMatchObject([{ last_status_code: 503 }]);
    },
    { timeout: 10_000 },
  );
  await stop(listening);
});

it("says what to do when the service doesn't send to this machine", async () => {
  const strict = await startTestService();
  try {
    const { key: strictKey } = await strict.newOrganization();
    const run = await runCli(["listen", "--port", "0", "--key", strictKey], environmentOf(strict));
    expect(run.status).toBe(1);
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: "https_required_in_production",
      message: expect.stringContaining("WEBHOOK_ALLOW_PRIVATE_TARGETS=1"),
    });
  } finally {
    await strict.close();
  }
});

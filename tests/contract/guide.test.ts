import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../server/src/testing/free-port.ts";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";

/** The guide's code, taken out of the guide and run as a reader would run it. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython && process.env.REQUIRE_ALL === "1") throw new Error("There is no python3.");

let app: TestService;
let guide: string;
let directory: string;
beforeAll(async () => {
  app = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
  guide = (await app.call<string>("/getting-started.md")).body;
  directory = await mkdtemp(join(tmpdir(), "outreach-guide-"));
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

/** The fenced code of a language, in the order of the guide. */
function code(language: string): string[] {
  const found = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text]) => text!,
  );
  expect(found.length).toBeGreaterThan(0);
  return found;
}

/** What the guide says of the vector: its secret, body and header. */
function vector() {
  const cell = (name: string) => new RegExp(`^\\| ${name} \\| \`(.+)\` \\|$`, "m").exec(guide)![1]!;
  return { secret: cell("secret"), body: cell("body"), header: cell("header"), time: 1_767_225_600 };
}

/** Headers and bodies that must be refused, beside the one that must not. */
function signatureCases() {
  const { secret, body, header, time } = vector();
  const good = { body, header, secret, now: time };
  return [
    { ...good, expected: true },
    { ...good, now: time + 300, expected: true },
    { ...good, now: time - 300, expected: true },
    { ...good, now: time + 301, expected: false },
    { ...good, now: time - 301, expected: false },
    { ...good, body: `${body} `, expected: false },
    { ...good, secret: secret.slice("whsec_".length), expected: false },
    { ...good, header: header.replace(/.$/, (last) => (last === "0" ? "1" : "0")), expected: false },
    { ...good, header: header.replace(/,v1=.*/, ",v1="), expected: false },
    { ...good, header: header.replace("t=1767225600", "t=1767225601"), expected: false },
    { ...good, header: `${header}00`, expected: false },
    { ...good, header: "", expected: false },
    { ...good, header: "undefined", expected: false },
  ];
}

/** Starts a receiver of the guide, subscribes it, has an event made, and waits until it says that it has verified it. */
async function expectDelivery(start: (environment: Record<string, string>) => ChildProcess): Promise<void> {
  const { key } = await app.newOrganization();
  const port = await freePort();
  const subscription = await app.call("/v1/webhooks", {
    key,
    json: { target_url: `http://127.0.0.1:${port}/`, event_types: ["*"] },
  });
  expect(subscription.status).toBe(201);
  const child = start({ WEBHOOK_SECRET: String(subscription.body.secret), PORT: String(port) });
  let output = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
      for (const look of waiting) look();
    });
  }
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.includes(text) && resolve();
      waiting.add(look);
      child.once("exit", () => reject(new Error(`The receiver ended: ${output}`)));
      look();
    });
  try {
    await saw("listening");
    const lead = await app.call("/v1/leads", {
      key,
      json: { phone_number: "2125550100", first_name: "Zoë" },
    });
    await saw("lead.created");
    await saw(String(lead.body.id));

    // The same bytes with another signature are refused, and so is a delivery without one.
    for (const signature of [vector().header, null]) {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: vector().body,
        headers: signature ? { "x-service-signature-256": signature } : {},
      });
      expect(response.status).toBe(400);
    }
    // The answer to the delivery is on record a moment after it has arrived.
    const health = async () =>
      (await app.call<{ data: { last_success_at: string | null }[] }>("/v1/webhooks", { key })).body.data[0];
    await expect.poll(health, { timeout: 5_000 }).toMatchObject({ last_success_at: expect.any(String) });
  } finally {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
}

describe("the guide", () => {
  it("has lines for a shell that work as they stand", async () => {
    const { key, organizationId } = await app.newOrganization();
    const path = `/private/v1/organizations/${organizationId}`;
    await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 1_000 } });
    await app.callPrivate(`${path}/numbers`, { json: { phone_number: "2125550199" } });
    const address = new RegExp(app.config.public.url.replaceAll(".", "\\."), "g");
    const script = code("sh").join("\n").replace(address, app.publicUrl).replace("service_live_…", key);
    const shell = spawn(
      "bash",
      ["-c", `set -euo pipefail\ncurl() { command curl --fail-with-body "$@" && echo; }\n${script}`],
      {
        cwd: directory,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    for (const stream of [shell.stdout, shell.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
      });
    const [status] = await once(shell, "close");
    expect(output).not.toContain('"error"');
    expect({ status, output }).toMatchObject({ status: 0 });

    const answers = output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(10);
    const [account, lead, found, inspection, summary, agent, call, transcript, appointment, page] = answers;
    expect(account.scopes.length).toBeGreaterThan(0);
    expect(lead).toMatchObject({
      phone_number: "+12125550100",
      email_address: "ada@example.com",
      consented_at: "2026-01-05T14:30:00.000Z",
    });
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([lead.id]);
    expect(inspection).toMatchObject({ unmapped: ["Shoe Size"], missing_required: [] });
    expect(summary).toMatchObject({ total: 2, inserted: 2, failed: 0 });
    expect(agent).toMatchObject({ managed_by: "api", call_template: { voice: "clara", temperature: 0.7 } });
    expect(call).toMatchObject({ medium: "phone", metadata: { order: 48_291 }, carrier: "simulated" });
    expect(transcript).toMatchObject({ call_id: call.id, turns: expect.any(Array) });
    expect(appointment).toMatchObject({ duration_minutes: 45, source: "public_api" });
    expect(page.data).toHaveLength(3);
  });

  it("shows an error that the service answers", async () => {
    const { key } = await app.newOrganization();
    const { body } = await app.call("/v1/leads", {
      key,
      json: { phone_number: "2125550100", colour: "red" },
    });
    const [example] = code("json");
    expect(JSON.parse(example!).error).toBe(body.error);
  });
});

describe("the guide's receiver in TypeScript", () => {
  let source: string;
  beforeAll(() => {
    [source] = code("typescript") as [string];
  });

  it("passes the strict compiler", async () => {
    await writeFile(join(directory, "receiver.ts"), source);
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    const flags = [
      "--noEmit",
      "--strict",
      "--noUncheckedIndexedAccess",
      "--erasableSyntaxOnly",
      "--module",
      "nodenext",
    ];
    const types = ["--target", "es2023", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    const { status, stdout } = spawnSync(compiler, [...flags, ...types, "receiver.ts"], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it("tells the right signature from all others", async () => {
    const file = join(directory, "verify.mjs");
    const verify = source.slice(0, source.indexOf("const secret ="));
    await writeFile(file, (await transform(verify, { loader: "ts" })).code);
    const { isAuthentic } = (await import(file)) as {
      isAuthentic(body: Buffer, header: string, secret: string, now: number): boolean;
    };
    for (const { body, header, secret, now, expected } of signatureCases()) {
      expect(isAuthentic(Buffer.from(body), header, secret, now), `${header} ${now}`).toBe(expected);
    }
  });

  it("verifies a real delivery", async () => {
    const file = join(directory, "receiver.mjs");
    await writeFile(file, (await transform(source, { loader: "ts" })).code);
    await expectDelivery((environment) =>
      spawn(process.execPath, [file], { env: { ...process.env, ...environment }, stdio: "pipe" }),
    );
  });
});

describe.skipIf(!hasPython)("the guide's receiver in Python", () => {
  let file: string;
  beforeAll(async () => {
    file = join(directory, "receiver.py");
    await writeFile(file, code("python")[0]!);
  });

  it("tells the right signature from all others", () => {
    const program = `import json, sys
from receiver import is_authentic
cases = json.load(sys.stdin)
print(json.dumps([is_authentic(c["body"].encode(), c["header"], c["secret"], c["now"]) for c in cases]))`;
    const { stdout, stderr } = spawnSync("python3", ["-c", program], {
      cwd: directory,
      env: { ...process.env, WEBHOOK_SECRET: "unused" },
      input: JSON.stringify(signatureCases()),
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(signatureCases().map(({ expected }) => expected));
  });

  it("verifies a real delivery", () =>
    expectDelivery((environment) =>
      spawn("python3", [file], { env: { ...process.env, ...environment }, stdio: "pipe" }),
    ));
});

describe("the guide in the repository", () => {
  it("is the one that is served, but for the address", async () => {
    const committed = await readFile(join(ROOT, "docs/getting-started.md"), "utf8");
    expect(guide).toBe(committed.replaceAll("http://localhost:8080", app.config.public.url));
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConnectionOptions } from "../database/database.ts";
import { freePort } from "../testing/free-port.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

interface Run {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  exited: Promise<number | null>;
}

const runs: Run[] = [];
let dataDir: string;
let testDatabase: TestDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "outreach-serve-"));
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  for (const run of runs.splice(0)) {
    if (run.child.exitCode === null) run.child.kill("SIGKILL");
    await run.exited;
  }
});
afterAll(async () => {
  await testDatabase.drop();
  await rm(dataDir, { recursive: true });
});

/** `npm start` without npm: the real launcher, in a process of its own. */
function start(environment: Record<string, string>): Run {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: PROJECT,
    env: { PATH, HOME, PORT: "0", ADMIN_PORT: "0", DATA_DIR: dataDir, ...environment },
  });
  const run: Run = {
    child,
    stdout: "",
    stderr: "",
    exited: new Promise((resolve) => child.on("close", resolve)),
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    run.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    run.stderr += text;
  });
  runs.push(run);
  return run;
}

const databaseUrl = () => urlOf(testDatabase.connection);

function urlOf({ host = "", port, user = "", password, database = "" }: ConnectionOptions): string {
  const url = new URL(`postgres://localhost/${database}`);
  url.searchParams.set("host", host);
  url.searchParams.set("port", String(port));
  url.searchParams.set("user", user);
  if (password) url.searchParams.set("password", password);
  return url.href;
}

async function started(run: Run): Promise<void> {
  await vi.waitFor(
    () => {
      if (run.child.exitCode !== null) throw new Error(`it ended: ${run.stderr}`);
      expect(run.stdout).toContain("Outreach is running.");
    },
    { timeout: 50_000, interval: 20 },
  );
}

describe("a start that can't be", () => {
  it("names every mistake of the configuration at once", async () => {
    const run = start({
      PORT: "high",
      DEMO: "perhaps",
      ROLES: "api,king",
      DATABASE_URL: "mysql://u:secret@h/d",
    });
    expect(await run.exited).toBe(1);
    for (const name of ["PORT", "DEMO", "ROLES", "DATABASE_URL"]) expect(run.stderr).toContain(`- ${name} `);
    expect(run.stderr).not.toContain("secret");
    expect(run.stderr).not.toContain("    at ");
    expect(run.stdout).toBe("");
  });

  it.each([
    ["PORT", "public API"],
    ["ADMIN_PORT", "private API"],
  ])("says that %s is taken", async (variable, what) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const run = start({ [variable]: String(port), DATABASE_URL: databaseUrl(), LOG_LEVEL: "silent" });
    const status = await run.exited;
    other.close();
    expect(status).toBe(1);
    expect(run.stderr).toBe(
      `Port ${port} of 127.0.0.1 is in use by another program: stop that one, or set ${variable} to another port for the ${what}.\n`,
    );
  });

  it("says that the database isn't there, without its password", async () => {
    const run = start({ DATABASE_URL: "postgres://me:secret@127.0.0.1:9/mine", LOG_LEVEL: "silent" });
    expect(await run.exited).toBe(1);
    expect(run.stderr).toBe(
      "The database that DATABASE_URL names (127.0.0.1:9/mine) doesn't answer: nothing listens there.\n",
    );
  });
});

describe("a start", () => {
  it("is ready when its ports are bound, its demo is made, and the keys are told", async () => {
    const database = await createTestDatabase();
    try {
      const port = await freePort();
      const run = start({ DATABASE_URL: urlOf(database.connection), ADMIN_PORT: String(port) });
      const answers = new Set<string>();
      const ask = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          async (answer) => `${answer.status} ${await answer.text()}`,
          () => "not there",
        );
      let answer = "";
      while (!answer.startsWith("200")) {
        if (run.child.exitCode !== null) throw new Error(`it ended: ${run.stderr}`);
        answer = await ask();
        answers.add(answer);
      }
      expect([...answers]).toEqual([
        "not there",
        '503 {"status":"not_ready","reason":"the service is starting"}',
        '200 {"status":"ready"}',
      ]);
      // What was written before the answer is read no later than this.
      await setTimeout(20);
      expect(run.stdout).toMatch(/Live key +service_live_[0-9a-f]{64}$/m);
    } finally {
      await database.drop();
    }
  });

  it("tells the addresses; the first one the demo's keys too, with lines that work", async () => {
    const database = await createTestDatabase();
    try {
      const environment = { DATABASE_URL: urlOf(database.connection), WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" };
      const first = start(environment);
      await started(first);
      expect(first.stdout).toContain("Warning: WEBHOOK_ALLOW_PRIVATE_TARGETS=1");
      expect(first.stdout).toMatch(/Live key +service_live_[0-9a-f]{64}$/m);
      expect(first.stdout).toMatch(/Sandbox key +service_test_[0-9a-f]{64}$/m);
      expect(first.stderr).not.toMatch(/service_(live|test)_/);
      expect(first.stderr).not.toContain("Server listening");
      const lines = first.stdout.split("\n").filter((line) => line.startsWith("  curl "));
      expect(lines).toHaveLength(3);
      const answers: Record<string, unknown>[] = [];
      for (const line of lines) answers.push(JSON.parse(await shell(line)) as Record<string, unknown>);
      expect(answers).toMatchObject([
        { phone_number: "+12125550100", first_name: "Ada" },
        { medium: "phone", status: "initiating", to_number: "+12125550100" },
        { secret: expect.stringMatching(/^whsec_/) },
      ]);
      first.child.kill("SIGTERM");
      expect(await first.exited).toBe(0);

      const second = start(environment);
      await started(second);
      expect(second.stdout).not.toContain("service_");
      second.child.kill("SIGTERM");
      expect(await second.exited).toBe(0);
    } finally {
      await database.drop();
    }
  });

  it("makes no demo with DEMO=0", async () => {
    const run = start({ DATABASE_URL: databaseUrl(), DEMO: "0" });
    await started(run);
    expect(run.stdout).not.toContain("service_");
    run.child.kill("SIGINT");
    expect(await run.exited).toBe(0);
  });
});

it("outlives a failure that nobody waits for, and logs it", async () => {
  const stray = `const look = setInterval(() => {
    if (process.listenerCount("unhandledRejection") === 0) return;
    clearInterval(look);
    Promise.reject(new Error("stray"));
  }, 10).unref();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(stray)}`;
  const run = start({ DATABASE_URL: databaseUrl(), DEMO: "0", NODE_OPTIONS });
  await started(run);
  await vi.waitFor(() => expect(run.stderr).toContain("nobody waited for"), { timeout: 15_000 });
  expect(run.stderr).toContain("stray");
  expect(run.child.exitCode).toBeNull();
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
});

it("lets a running request end before it ends; asked twice, it doesn't wait", async () => {
  const database = await createTestDatabase();
  let key: string | undefined;
  try {
    for (const askAgain of [false, true]) {
      const run = start({ DATABASE_URL: urlOf(database.connection) });
      await started(run);
      key ??= /service_live_[0-9a-f]+/.exec(run.stdout)![0];
      const port = Number(/Public API +http:\/\/127\.0\.0\.1:(\d+)/.exec(run.stdout)![1]);
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      let answer = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        answer += text;
      });
      const body = '{"phone_number":"+12125550177"}';
      socket.write(
        `POST /v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      socket.write(body.slice(0, 5));
      // Sent when the request has come to where it waits for its body.
      await vi.waitFor(() => expect(answer).toContain("100 Continue"), { timeout: 15_000 });

      run.child.kill("SIGTERM");
      await vi.waitFor(() => expect(run.stderr).toContain('"draining"'), { timeout: 15_000 });
      expect(run.child.exitCode).toBeNull();
      if (askAgain) {
        const again = setInterval(() => run.child.kill("SIGINT"), 100);
        expect(await run.exited).toBe(1);
        clearInterval(again);
      } else {
        socket.write(body.slice(5));
        expect(await run.exited).toBe(0);
        expect(answer).toContain("HTTP/1.1 201");
      }
      socket.destroy();
    }
  } finally {
    await database.drop();
  }
});

async function shell(line: string): Promise<string> {
  const child = spawn("sh", ["-c", line]);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.on("close", resolve));
  return output;
}

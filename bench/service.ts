import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../server/src/testing/free-port.ts";

export interface BenchService {
  publicUrl: string;
  adminUrl: string;
  pid: number;
  /** Seconds from the start of the process to the first good answer of /readyz. */
  secondsToReady: number;
  /** A request to the private API. */
  admin(path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** A new organization with a key whose rate limit doesn't get in the way. */
  newOrganization(): Promise<{ organizationId: string; key: string }>;
  /** Resident memory of the service's process, in bytes. */
  residentMemory(): number;
  stop(): Promise<void>;
}

const TOKEN = "bench-operator-token-0123456789";
const START = fileURLToPath(new URL("../server/dist/main.js", import.meta.url));

/** The service, built, in a process of its own. Its log goes to a file that nobody reads unless it fails to start. */
export async function startService(environment: Record<string, string>): Promise<BenchService> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const logFile = join(mkdtempSync(join(tmpdir(), "outreach-bench-log-")), "service.log");
  const log = openSync(logFile, "a");
  const started = performance.now();
  const child = spawn(process.execPath, [...(process.env.BENCH_NODE_ARGS?.split(" ") ?? []), START], {
    env: {
      ...process.env,
      DEMO: "0",
      ADMIN_TOKEN: TOKEN,
      ...environment,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
    },
    stdio: ["ignore", "ignore", log],
  });
  closeSync(log);
  const errors = () => readFileSync(logFile, "utf8").slice(-4_000);
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  while (!(await isReady(adminUrl))) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${errors()}`);
    if (performance.now() - started > 60_000)
      throw new Error(`the service is not ready after 60 s: ${errors()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const secondsToReady = (performance.now() - started) / 1000;

  const admin = async (path: string, body?: unknown) => {
    const response = await fetch(`${adminUrl}/private/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    adminUrl,
    pid: child.pid!,
    secondsToReady,
    admin,
    async newOrganization() {
      const organization = await admin("/organizations", { name: "Bench" });
      const key = await admin(`/organizations/${organization.id}/keys`, {
        name: "bench",
        rate_limit_per_minute: 1_000_000,
      });
      return { organizationId: String(organization.id), key: String(key.key) };
    },
    residentMemory: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024,
    async stop() {
      await end(child);
      rmSync(dirname(logFile), { recursive: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

async function isReady(adminUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${adminUrl}/readyz`)).ok;
  } catch {
    return false;
  }
}

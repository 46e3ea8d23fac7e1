import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../server/src/testing/free-port.ts";

const MAIN = fileURLToPath(new URL("../../server/dist/main.js", import.meta.url));
const TOKEN = "faults-operator-token-0123456789";

export interface ServiceProcess {
  publicUrl: string;
  adminUrl: string;
  pid: number;
  /** Asks /readyz until it says `ready` (or, with `false`, until it says anything else). */
  untilReady(ready?: boolean): Promise<void>;
  /** A request to the private API. */
  admin(path: string, body?: unknown, method?: string): Promise<Record<string, unknown>>;
  newOrganization(): Promise<{ organizationId: string; key: string }>;
  /** As a crash would: nothing is flushed, nothing is told. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit status. */
  stop(): Promise<number | null>;
}

/** The built service in a process of its own, on ports that it keeps when it is started again. */
export async function startServiceProcess(environment: Record<string, string>): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort());
  const adminPort = environment.ADMIN_PORT ?? String(await freePort());
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      LOG_LEVEL: "warn",
      DEMO: "0",
      ADMIN_TOKEN: TOKEN,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: "1",
      ...environment,
      PORT: port,
      ADMIN_PORT: adminPort,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream!.on("data", (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  }
  const adminUrl = `http://127.0.0.1:${adminPort}`;

  const untilReady = async (wanted = true) => {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const ready = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(8_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (ready === wanted) return;
      if (hasEnded(child))
        throw new Error(`the service ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
      if (performance.now() > deadline)
        throw new Error(`/readyz is not ${wanted ? "ready" : "unready"} after 60 s:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const admin = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${adminUrl}/private/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded(child)) {
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    }
    return child.exitCode;
  };
  await untilReady();
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    adminUrl,
    pid: child.pid!,
    untilReady,
    admin,
    async newOrganization() {
      const organization = await admin("/organizations", { name: "Faults" });
      const key = await admin(`/organizations/${organization.id}/keys`, {
        name: "faults",
        rate_limit_per_minute: 1_000_000,
      });
      return { organizationId: String(organization.id), key: String(key.key) };
    },
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../server/src/testing/free-port.ts";

export interface BareServer {
  url: string;
  stop(): Promise<void>;
}

/** A Fastify handler that runs one statement and sends the row: what any service on this stack pays. */
export async function startBareServer(options: {
  databaseUrl: string;
  statement: string;
}): Promise<BareServer> {
  const port = await freePort();
  const program = fileURLToPath(new URL("./bare-server-process.js", import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: options.databaseUrl,
      STATEMENT: options.statement,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}

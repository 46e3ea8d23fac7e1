import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { freePort } from "./free-port.ts";

export interface RedisServer {
  url: string;
  /** Kills it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
}

/** True when `redis-server` is installed. A test that needs it is skipped visibly where it is not. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess;
  const start = async () => {
    child = spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    for await (const chunk of child.stdout!) if (String(chunk).includes("Ready to accept connections")) break;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    restart: start,
  };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../server/src/testing/free-port.ts";

export interface Sink {
  url: string;
  /** What has arrived: how many, and the ages in milliseconds of those sent to `/timed`. */
  figures(reset?: boolean): Promise<{ count: number; ages: number[] }>;
  /** Resolves when so many have arrived. Nobody asks meanwhile: asking every 20 ms took a twelfth of a core. */
  arrived(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL("./sink-process.js", import.meta.url))], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    figures: async (reset) =>
      (await fetch(`${url}/figures${reset ? "?reset" : ""}`)).json() as Promise<{
        count: number;
        ages: number[];
      }>,
    arrived: async (count) => {
      await (await fetch(`${url}/figures?at=${count}`)).arrayBuffer();
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = fileURLToPath(new URL("../../node_modules/@redocly/cli/bin/cli.js", import.meta.url));

/** Redocly's command line as a process of its own, which neither looks for a newer version nor tells anybody of its use. */
export function startRedocly(...args: string[]): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      CI: "true",
      NO_COLOR: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs it to its end, within a minute. */
export async function runRedocly(...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = startRedocly(...args);
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  let output = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const [status] = (await once(child, "close")) as [number | null];
  clearTimeout(late);
  return { status, output };
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { OPERATOR_TOKEN, type TestService } from "../../../server/src/testing/harness.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/outreach.mjs", import.meta.url));

export interface CliRun {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The environment in which the CLI operates this service, and nothing else of this machine. */
export function environmentOf(service: TestService): Record<string, string> {
  return { ADMIN_URL: service.adminUrl, ADMIN_TOKEN: OPERATOR_TOKEN, PUBLIC_URL: service.publicUrl };
}

/** Starts the real program, as `npx outreach …` does. */
export function startCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd?: string,
): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [PROGRAM, ...words], { cwd, env: { PATH, HOME, ...environment } });
}

/** Runs it to its end. */
export async function runCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<CliRun> {
  const child = startCli(words, environment, cwd);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stdout, stderr };
}

import { CommanderError } from "commander";
import { type Environment, privateApi } from "./connection.ts";
import { Refusal, UsageError } from "./failure.ts";
import { buildProgram } from "./program.ts";
import type { Context, Server } from "./verb.ts";

/**
 * Runs one command line.
 * @param words without the program's own name
 * @returns the exit status: 0 on success, 1 on a refusal (its envelope is on stderr), 2 on bad usage
 */
export async function run(
  words: readonly string[],
  host: { environment: Environment; loadServer: () => Promise<Server> },
): Promise<number> {
  let status = 0;
  const err = (text: string) => void process.stderr.write(text);
  try {
    const context: Context = {
      environment: host.environment,
      loadServer: host.loadServer,
      api: privateApi(host.environment),
      out: (text) => void process.stdout.write(text),
      err,
      exitWith(other) {
        status = other;
      },
    };
    await buildProgram(context).parseAsync(words, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError) {
      err(`error: ${error.message}\n`);
      return 2;
    }
    if (error instanceof Refusal) err(`${JSON.stringify(error.envelope)}\n`);
    else err(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

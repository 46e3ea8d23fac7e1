import type { Command } from "commander";
import { Refusal } from "../failure.ts";
import { type Context, show } from "../verb.ts";

/** `outreach serve` and `outreach migrate`: the service itself, in this process. */
export function addService(program: Command, context: Context): void {
  program
    .command("serve")
    .description("run the service, as npm start does")
    .action(async () => {
      const { serve } = await context.loadServer();
      context.exitWith(await serve(context.environment));
    });

  program
    .command("migrate")
    .description("bring the database to this release's version, and end")
    .option("--json", "print the record as one JSON object")
    .action(async (options) => {
      const { migrateDatabase } = await context.loadServer();
      let done: Awaited<ReturnType<typeof migrateDatabase>>;
      try {
        done = await migrateDatabase(context.environment);
      } catch (error) {
        // By name: the service is another bundle, with classes of its own.
        if (!(error instanceof Error) || !["ConfigError", "MigrateRefused"].includes(error.name)) throw error;
        throw new Refusal({ error: "migrate_failed", message: error.message });
      }
      show(context, options, done);
    });
}

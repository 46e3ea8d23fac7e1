import type { Command } from "commander";
import { type Context, given, instant, organizationPath, organizationVerb, show } from "../verb.ts";

/** `outreach compliance …` */
export function addCompliance(program: Command, context: Context): void {
  const compliance = program.command("compliance").description("when people may be called");

  organizationVerb(compliance, "check", "might a campaign call a number, and by which rule?")
    .requiredOption("--number <e164>", "the phone number")
    .option("--at <iso>", "at this time instead of now", instant)
    .action(async (options) => {
      const path = organizationPath(options.org, "compliance", "check");
      const query = given({ phone_number: options.number, at: options.at }) as Record<string, string>;
      show(context, options, await context.api.get(path, query));
    });
}

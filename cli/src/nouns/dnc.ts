import type { Command } from "commander";
import {
  type Context,
  given,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
} from "../verb.ts";

const COLUMNS = ["phone_number", "reason", "source", "added_by", "created_at"];

/** `outreach dnc …` */
export function addDnc(program: Command, context: Context): void {
  const dnc = program.command("dnc").description("numbers that must not be called");
  const ofNumber = (name: string, description: string) =>
    organizationVerb(dnc, name, description).requiredOption("--number <e164>", "the phone number");

  ofNumber("add", "put a number on the list")
    .option("--reason <text>", "why")
    .action(async (options) => {
      const body = given({ phone_number: options.number, reason: options.reason });
      show(context, options, await context.api.post(organizationPath(options.org, "dnc"), body));
    });

  ofNumber("remove", "take a number off the list").action(async (options) => {
    show(context, options, await context.api.delete(organizationPath(options.org, "dnc", options.number)));
  });

  ofNumber("check", "is a number on the list?").action(async (options) => {
    const path = organizationPath(options.org, "dnc", "check");
    show(context, options, await context.api.get(path, { phone_number: options.number }));
  });

  paged(organizationVerb(dnc, "list", "the list, newest first")).action(async (options) => {
    const page = await context.api.get(organizationPath(options.org, "dnc"), pageQuery(options));
    showPage(context, options, page, COLUMNS);
  });
}

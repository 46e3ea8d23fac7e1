import { type Command, Option } from "commander";
import { textOf } from "../text-file.ts";
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

  // The grammar of `dnc` has both flags on every verb: where one means nothing it is taken and left.
  ofNumber("remove", "take a number off the list")
    .option("--reason <text>", "why")
    .action(async (options) => {
      const path = organizationPath(options.org, "dnc", options.number);
      show(context, options, await context.api.delete(path, { reason: options.reason }));
    });

  ofNumber("check", "is a number on the list?")
    .addOption(unusedReason())
    .action(async (options) => {
      const path = organizationPath(options.org, "dnc", "check");
      show(context, options, await context.api.get(path, { phone_number: options.number }));
    });

  paged(organizationVerb(dnc, "list", "the list, newest first"))
    .option("--number <e164>", "only this number")
    .addOption(unusedReason())
    .action(async (options) => {
      const path = organizationPath(options.org, "dnc");
      if (options.number === undefined) {
        showPage(context, options, await context.api.get(path, pageQuery(options)), COLUMNS);
        return;
      }
      const { entry } = await context.api.get(`${path}/check`, { phone_number: options.number });
      showPage(context, options, { data: entry === null ? [] : [entry], limit: 1, offset: 0 }, COLUMNS);
    });

  organizationVerb(dnc, "import", "put the numbers of a CSV file on the list")
    .requiredOption("--file <path>", "a column phone_number and maybe reason, or numbers alone")
    .option("--reason <text>", "why, for rows without a reason of their own")
    .action(async (options) => {
      const body = given({ csv: await textOf(options.file), reason: options.reason });
      show(context, options, await context.api.post(organizationPath(options.org, "dnc", "import"), body));
    });

  organizationVerb(dnc, "export", "the whole list as CSV").action(async (options) => {
    const csv = await context.api.text(organizationPath(options.org, "dnc.csv"));
    if (options.json) show(context, options, { csv });
    else context.out(csv);
  });
}

function unusedReason(): Option {
  return new Option("--reason <text>").hideHelp();
}

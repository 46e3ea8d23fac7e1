import { type Command, Option } from "commander";
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

const COLUMNS = ["phone_number", "carrier", "agent_id", "last_used_at", "created_at"];

/** `outreach number …` */
export function addNumber(program: Command, context: Context): void {
  const number = program.command("number").description("numbers to call from and to be called on");
  // The grammar of `number` has both flags on every verb: where this one means nothing it is taken and left.
  const unusedCarrier = () => new Option("--carrier <name>").hideHelp();

  organizationVerb(number, "add", "give an organization a number")
    .requiredOption("--number <e164>", "the phone number")
    .option("--carrier <name>", "what carries its calls: simulated, sip, twilio or telnyx (simulated)")
    .action(async (options) => {
      const body = given({ phone_number: options.number, carrier: options.carrier });
      show(context, options, await context.api.post(organizationPath(options.org, "numbers"), body));
    });

  organizationVerb(number, "remove", "take a number from an organization")
    .requiredOption("--number <e164>", "the phone number")
    .addOption(unusedCarrier())
    .action(async (options) => {
      const path = organizationPath(options.org, "numbers", options.number);
      show(context, options, await context.api.delete(path));
    });

  paged(organizationVerb(number, "list", "the numbers, newest first"))
    .option("--number <e164>", "only this number")
    .addOption(unusedCarrier())
    .action(async (options) => {
      const query = { ...pageQuery(options), phone_number: options.number };
      const path = organizationPath(options.org, "numbers");
      showPage(context, options, await context.api.get(path, query), COLUMNS);
    });
}

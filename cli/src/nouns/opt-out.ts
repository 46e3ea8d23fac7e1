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
  verb,
} from "../verb.ts";

const COLUMNS = ["received_at", "from_number", "to_number", "opt_out", "matched", "body"];

/** `outreach optout …` */
export function addOptOut(program: Command, context: Context): void {
  const optOut = program.command("optout").description("wishes not to be called again");
  verb(optOut, "test", "what the rules make of one utterance")
    .requiredOption("--text <text>", "what was said or written")
    .addOption(new Option("--channel <channel>", "where (call)").choices(["call", "text"]))
    .addOption(new Option("--speaker <speaker>", "by whom (user)").choices(["user", "agent", "machine"]))
    .action(async (options) => {
      const body = given({ text: options.text, channel: options.channel, speaker: options.speaker });
      show(context, options, await context.api.post("/opt-outs/test", body));
    });
}

/** `outreach text …` */
export function addText(program: Command, context: Context): void {
  const text = program.command("text").description("texts that people sent");
  organizationVerb(text, "receive", "hand in a text, as a carrier's callback would")
    .requiredOption("--from <e164>", "who sent it")
    .requiredOption("--to <e164>", "the number it was sent to")
    .requiredOption("--body <text>", "what it says")
    .action(async (options) => {
      const body = { from_number: options.from, to_number: options.to, body: options.body };
      show(context, options, await context.api.post(organizationPath(options.org, "texts"), body));
    });
  paged(organizationVerb(text, "list", "texts, newest first")).action(async (options) => {
    const page = await context.api.get(organizationPath(options.org, "texts"), pageQuery(options));
    showPage(context, options, page, COLUMNS);
  });
}

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

const COLUMNS = ["id", "name", "managed_by", "phone_number", "created_at"];

/** `outreach agent …` */
export function addAgent(program: Command, context: Context): void {
  const agent = program.command("agent").description("voice agents");

  organizationVerb(agent, "create", "make an agent that is managed in the app")
    .requiredOption("--name <name>", "what it is called")
    .requiredOption("--system-prompt <text>", "what it is and does")
    .option("--greeting <text>", "what it says first")
    .option("--voice <id>", "an id of the voice catalog")
    .action(async (options) => {
      const body = given({
        name: options.name,
        system_prompt: options.systemPrompt,
        greeting: options.greeting,
        voice: options.voice,
      });
      show(context, options, await context.api.post(organizationPath(options.org, "agents"), body));
    });

  paged(organizationVerb(agent, "list", "the agents, newest first")).action(async (options) => {
    const path = organizationPath(options.org, "agents");
    showPage(context, options, await context.api.get(path, pageQuery(options)), COLUMNS);
  });
}

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

const COLUMNS = ["id", "name", "status", "dialer_mode", "launched_at", "paused_at", "created_at"];
const STATUSES = ["draft", "active", "paused", "completed", "cancelled"];
const STEERING = {
  launch: "start a draft",
  pause: "stop an active one for now",
  resume: "go on with a paused one",
  complete: "end one as done",
  cancel: "end one for good",
};

/** `outreach campaign …` */
export function addCampaign(program: Command, context: Context): void {
  const campaign = program.command("campaign").description("campaigns");

  organizationVerb(campaign, "create", "make a campaign")
    .requiredOption("--name <name>", "what it is called")
    .option("--agent <id>", "the voice agent that talks")
    .addOption(new Option("--dialer-mode <mode>", "how it dials (ai)").choices(["ai", "power", "predictive"]))
    .addOption(new Option("--status <status>", "the status it begins in (draft)").choices(STATUSES))
    .action(async (options) => {
      const body = given({
        name: options.name,
        assigned_ai_agent_id: options.agent,
        dialer_mode: options.dialerMode,
        status: options.status,
      });
      show(context, options, await context.api.post(organizationPath(options.org, "campaigns"), body));
    });

  for (const [name, description] of Object.entries(STEERING)) {
    organizationVerb(campaign, name, description)
      .requiredOption("--campaign <id>", "the campaign")
      .action(async (options) => {
        const path = organizationPath(options.org, "campaigns", options.campaign, name);
        show(context, options, await context.api.post(path, {}));
      });
  }

  organizationVerb(campaign, "show", "one campaign")
    .requiredOption("--campaign <id>", "the campaign")
    .action(async (options) => {
      const path = organizationPath(options.org, "campaigns", options.campaign);
      show(context, options, await context.api.get(path));
    });

  paged(organizationVerb(campaign, "list", "an organization's campaigns, newest first"))
    .addOption(new Option("--status <status>", "only these").choices(STATUSES))
    .action(async (options) => {
      const query = { ...pageQuery(options), status: options.status };
      const page = await context.api.get(organizationPath(options.org, "campaigns"), query);
      showPage(context, options, page, COLUMNS);
    });
}

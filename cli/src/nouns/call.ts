import { type Command, Option } from "commander";
import {
  type Context,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
} from "../verb.ts";

const COLUMNS = [
  "id",
  "medium",
  "status",
  "call_outcome",
  "duration_seconds",
  "agent_id",
  "lead_id",
  "created_at",
];

/** `outreach call …` */
export function addCall(program: Command, context: Context): void {
  const call = program.command("call").description("calls");

  organizationVerb(call, "show", "one call with its verdict, ledger entries and transcript")
    .requiredOption("--call <id>", "the call")
    .action(async (options) => {
      show(context, options, await context.api.get(organizationPath(options.org, "calls", options.call)));
    });

  paged(organizationVerb(call, "list", "calls, newest first"))
    .option("--live", "only those that haven't ended")
    .option("--status <status>", "only those with this status")
    .option("--agent <id>", "only those of one agent")
    .option("--lead <id>", "only those with one lead")
    .option("--campaign <id>", "only those of one campaign")
    .addOption(new Option("--medium <medium>", "only these").choices(["phone", "browser"]))
    .action(async (options) => {
      const query = {
        ...pageQuery(options),
        live: options.live ? "true" : undefined,
        status: options.status,
        agent_id: options.agent,
        lead_id: options.lead,
        campaign_id: options.campaign,
        medium: options.medium,
      };
      const page = await context.api.get(organizationPath(options.org, "calls"), query);
      showPage(context, options, page, COLUMNS);
    });

  organizationVerb(call, "hangup", "end a live call; one that rings is canceled")
    .requiredOption("--call <id>", "the call")
    .action(async (options) => {
      const path = organizationPath(options.org, "calls", options.call, "hangup");
      show(context, options, await context.api.post(path, {}));
    });
}

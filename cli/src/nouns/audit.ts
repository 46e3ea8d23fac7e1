import type { Command } from "commander";
import { type Context, organizationPath, organizationVerb, paged, pageQuery, showPage } from "../verb.ts";

const COLUMNS = ["created_at", "actor", "action", "subject_type", "subject_id"];

/** `outreach audit …` */
export function addAudit(program: Command, context: Context): void {
  const audit = program.command("audit").description("who did what, when");

  paged(organizationVerb(audit, "list", "an organization's audit log, newest first"))
    .option("--action <name>", "only this, such as api_key.rotated")
    .option("--subject-type <name>", "only what concerns these, such as api_key")
    .action(async (options) => {
      const query = {
        ...pageQuery(options),
        action: options.action,
        subject_type: options.subjectType,
      };
      const page = await context.api.get(organizationPath(options.org, "audit"), query);
      showPage(context, options, page, COLUMNS);
    });
}

import type { Command } from "commander";
import {
  type Context,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
} from "../verb.ts";

const COLUMNS = ["id", "status", "total", "inserted", "updated", "failed", "warnings", "created_at"];

/** `outreach imports …` */
export function addImports(program: Command, context: Context): void {
  const imports = program.command("imports").description("CSV imports");

  paged(organizationVerb(imports, "list", "an organization's imports, newest first")).action(
    async (options) => {
      const page = await context.api.get(organizationPath(options.org, "imports"), pageQuery(options));
      showPage(context, options, page, COLUMNS);
    },
  );

  organizationVerb(imports, "show", "an import with its row errors and warnings")
    .requiredOption("--job <id>", "the import's job_id")
    .action(async (options) => {
      show(context, options, await context.api.get(organizationPath(options.org, "imports", options.job)));
    });
}

import type { Command } from "commander";
import type { Answer } from "../api-client.ts";
import {
  type Context,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
} from "../verb.ts";

const COLUMNS = ["id", "state", "total", "inserted", "updated", "failed", "warning_count", "created_at"];

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
      show(
        context,
        options,
        await wholeImport(context, organizationPath(options.org, "imports", options.job)),
      );
    });
}

/** The job with all of its rows, which the service hands out page by page: the same page of errors and of warnings. */
async function wholeImport(context: Context, path: string): Promise<Answer> {
  const errors: unknown[] = [];
  const warnings: unknown[] = [];
  for (let offset = 0; ; ) {
    const { limit, offset: _, ...job } = await context.api.get(path, { limit: 1000, offset });
    const page = { errors: job.errors as unknown[], warnings: job.warnings as unknown[] };
    errors.push(...page.errors);
    warnings.push(...page.warnings);
    if (Math.max(page.errors.length, page.warnings.length) < (limit as number))
      return { ...job, errors, warnings };
    offset += limit as number;
  }
}

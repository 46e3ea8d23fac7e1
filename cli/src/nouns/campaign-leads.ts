import type { Command } from "commander";
import type { Answer } from "../api-client.ts";
import { UsageError } from "../failure.ts";
import { textOf } from "../text-file.ts";
import {
  type Context,
  commaSeparated,
  given,
  type OrNone,
  organizationPath,
  organizationVerb,
  orNone,
  paged,
  pageQuery,
  pairs,
  show,
  showPage,
} from "../verb.ts";

/** Of millions of leads, on a busy machine. */
const LONGEST_PREVIEW_MS = 10 * 60_000;
const VERDICT_COLUMNS = [
  "decided_at",
  "lead_id",
  "allowed",
  "reason",
  "rule_id",
  "next_allowed_at",
  "call_id",
];

/** `outreach campaign …`: its leads, and how far it is with them. */
export function addCampaignLeads(campaign: Command, context: Context): void {
  organizationVerb(
    campaign,
    "attach",
    "put leads into a campaign: named ones, those that a filter finds, or a CSV",
  )
    .requiredOption("--campaign <id>", "the campaign")
    .option("--lead <id,...>", "these leads", commaSeparated)
    .option("--csv <file>", "the rows of a CSV file: new leads, and those whose numbers are known")
    .option("--map <column=header,...>", "the CSV's headers, where they aren't canonical names", pairs)
    .option("--all", "every lead of the organization")
    .option("--status <status>", "leads of this status")
    .option("--source-tag <tag>", "leads of this source, such as csv:<job id>")
    .option("--from-campaign <id>", "leads of this campaign (none: of no campaign)", orNone(String))
    .option("--consented", "only leads whose consented_at is known")
    .action(async (options) => {
      show(context, options, await attach(context, options));
    });

  organizationVerb(campaign, "progress", "its leads, attempts, answers, abandoned calls and cost")
    .requiredOption("--campaign <id>", "the campaign")
    .action(async (options) => {
      const path = organizationPath(options.org, "campaigns", options.campaign, "progress");
      show(context, options, await context.api.get(path));
    });

  organizationVerb(
    campaign,
    "preview",
    "how many leads can be dialed now, how many wait, how many can't, and why",
  )
    .requiredOption("--campaign <id>", "the campaign")
    .action(async (options) => {
      const path = organizationPath(options.org, "campaigns", options.campaign, "preview");
      show(context, options, await context.api.get(path, {}, LONGEST_PREVIEW_MS));
    });

  paged(organizationVerb(campaign, "verdicts", "why its leads were called or weren't, newest first"))
    .requiredOption("--campaign <id>", "the campaign")
    .option("--lead <id>", "only of this lead")
    .action(async (options) => {
      const path = organizationPath(options.org, "campaigns", options.campaign, "verdicts");
      const page = await context.api.get(path, { ...pageQuery(options), lead_id: options.lead });
      showPage(context, options, page, VERDICT_COLUMNS);
    });
}

interface AttachOptions {
  org: string;
  campaign: string;
  lead?: string[];
  csv?: string;
  map?: Record<string, string>;
  all?: boolean;
  status?: string;
  sourceTag?: string;
  fromCampaign?: OrNone<string>;
  consented?: boolean;
}

async function attach(context: Context, options: AttachOptions): Promise<Answer> {
  const path = organizationPath(options.org, "campaigns", options.campaign, "leads");
  const filter = given({
    status: options.status,
    source_tag: options.sourceTag,
    campaign_id: options.fromCampaign?.value,
    consented: options.consented,
  });
  const byFilter = options.all === true || Object.keys(filter).length > 0;
  if ([options.lead !== undefined, options.csv !== undefined, byFilter].filter(Boolean).length !== 1) {
    throw new UsageError(
      "Name the leads in one way: --lead, --csv, or --all, --status, --source-tag, --from-campaign and --consented.",
    );
  }
  if (options.lead !== undefined) return context.api.post(path, { lead_ids: options.lead });
  if (options.csv !== undefined) {
    const csv = await textOf(options.csv);
    return context.api.post(`${path}/import`, { csv, ...given({ mapping: options.map }) });
  }
  let attached = 0;
  let toDial = 0;
  for (let after: unknown; ; ) {
    const answer = await context.api.post(path, { filter, ...given({ after }) });
    attached += Number(answer.attached);
    toDial += Number(answer.to_dial);
    if (answer.after === null) return { attached, to_dial: toDial };
    after = answer.after;
  }
}

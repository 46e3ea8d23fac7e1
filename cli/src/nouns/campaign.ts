import { type Command, InvalidArgumentError, Option } from "commander";
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
  whole,
} from "../verb.ts";
import { addCampaignLeads } from "./campaign-leads.ts";

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

  configured(organizationVerb(campaign, "create", "make a campaign"))
    .requiredOption("--name <name>", "what it is called")
    .addOption(new Option("--status <status>", "the status it begins in (draft)").choices(STATUSES))
    .option("--require-consent", "call only leads whose consented_at is known")
    .action(async (options) => {
      const body = { ...configurationFrom(options), ...given({ status: options.status }) };
      show(context, options, await context.api.post(organizationPath(options.org, "campaigns"), body));
    });

  configured(organizationVerb(campaign, "update", "change a draft, or the options of a paused one"))
    .requiredOption("--campaign <id>", "the campaign")
    .option("--name <name>", "what it is called")
    .option("--require-consent", "call only leads whose consented_at is known")
    .option("--no-require-consent", "call leads whose consent isn't known, too")
    .action(async (options) => {
      const path = organizationPath(options.org, "campaigns", options.campaign);
      show(context, options, await context.api.patch(path, configurationFrom(options)));
    });

  addCampaignLeads(campaign, context);

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

/** The flags of how a campaign dials. `none` takes an option back. */
function configured(command: Command): Command {
  return command
    .option("--agent <id>", "the voice agent that talks")
    .addOption(new Option("--dialer-mode <mode>", "how it dials (ai)").choices(["ai", "power", "predictive"]))
    .option("--concurrency <n>", "calls at once, or seats (none: what the organization may)", orNone(whole))
    .option("--cps <n>", "call starts a second (none: no limit)", orNone(decimal))
    .option("--lines-per-seat <n>", "lines dialed for a free seat, in power and predictive (1.5)", decimal)
    .option("--max-attempts <n>", "attempts to reach a lead (4)", whole)
    .option(
      "--window <HH:MM-HH:MM>",
      "hours of the called party's clock (none: the lawful ones)",
      orNone(String),
    )
    .option("--days <mon,tue,...>", "days of the called party (none: all)", orNone(dayNames))
    .option(
      "--retry <outcome=minutes,...>",
      "when to try again (busy=30,no_answer=120,voicemail=1440,network_failure=5)",
      retryMinutes,
    );
}

interface Configuration {
  name?: string;
  agent?: string;
  dialerMode?: string;
  concurrency?: OrNone<number>;
  cps?: OrNone<number>;
  linesPerSeat?: number;
  maxAttempts?: number;
  window?: OrNone<string>;
  days?: OrNone<string[]>;
  retry?: Record<string, number>;
  requireConsent?: boolean;
}

function configurationFrom(options: Configuration): Record<string, unknown> {
  return given({
    name: options.name,
    assigned_ai_agent_id: options.agent,
    dialer_mode: options.dialerMode,
    concurrency: options.concurrency?.value,
    calls_per_second: options.cps?.value,
    lines_per_seat: options.linesPerSeat,
    max_attempts: options.maxAttempts,
    window: options.window?.value,
    days: options.days?.value,
    retry_minutes: options.retry,
    require_consent: options.requireConsent,
  });
}

/** Which days there are is the service's business. */
function dayNames(text: string): string[] {
  return commaSeparated(text.toLowerCase());
}

function decimal(text: string): number {
  if (!/^[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})$/.test(text))
    throw new InvalidArgumentError("It must be a number.");
  return Number(text);
}

/** `busy=30,voicemail=1440`; which outcomes and minutes there are is the service's business. */
function retryMinutes(text: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pairs(text)).map(([outcome, minutes]) => [outcome, whole(minutes)]),
  );
}

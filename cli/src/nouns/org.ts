import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type Context,
  given,
  onOff,
  organizationPath,
  organizationVerb,
  orNone,
  paged,
  pageQuery,
  show,
  showPage,
  verb,
  whole,
} from "../verb.ts";

const COLUMNS = ["id", "name", "status", "sandbox", "balance_tokens", "created_at"];

/** `outreach org …` */
export function addOrg(program: Command, context: Context): void {
  const org = program.command("org").description("organizations");

  verb(org, "create", "make an organization with its wallet")
    .requiredOption("--name <name>", "what it is called")
    .option("--sandbox", "a development organization: its keys are test keys, and its voice is suspended")
    .option("--balance <tokens>", "the wallet's opening balance (0)", whole)
    .option("--concurrency <n>", "calls at the same time", whole)
    .option("--low-balance-threshold <tokens>", "billing.low_balance fires at this balance", whole)
    .option("--phone-rate <tokens>", "what a minute of a phone call costs (90)", whole)
    .option("--browser-rate <tokens>", "what a minute of a browser call costs (60)", whole)
    .option("--timezone <zone>", "an IANA time zone such as America/New_York")
    .action(async (options) => {
      const body = given({
        name: options.name,
        sandbox: options.sandbox,
        balance_tokens: options.balance,
        concurrency_limit: options.concurrency,
        low_balance_threshold: options.lowBalanceThreshold,
        phone_rate_per_minute: options.phoneRate,
        browser_rate_per_minute: options.browserRate,
        timezone: options.timezone,
      });
      show(context, options, await context.api.post("/organizations", body));
    });

  organizationVerb(org, "update", "change what is given")
    .addOption(
      new Option("--status <status>", "a suspended organization reads, but doesn't write").choices([
        "active",
        "suspended",
      ]),
    )
    .option("--voice <on|off>", "whether it may call", onOff)
    .option("--concurrency <n>", "calls at the same time", whole)
    .option(
      "--daily-cap <n>",
      "a campaign's attempts to one number in any 24 hours, at most 3 (none: the rules' own cap)",
      orNone(whole),
    )
    .option("--name <name>", "what it is called")
    .option("--low-balance-threshold <tokens>", "billing.low_balance fires at this balance", whole)
    .option("--phone-rate <tokens>", "what a minute of a phone call costs", whole)
    .option("--browser-rate <tokens>", "what a minute of a browser call costs", whole)
    .option("--timezone <zone>", "an IANA time zone such as America/New_York")
    .option(
      "--hours <hours>",
      "when agents may book appointments: mon-fri 09:00-12:00 13:00-17:00,sat 10:00-14:00; any: whenever",
      appointmentHours,
    )
    .action(async (options) => {
      const body = given({
        name: options.name,
        status: options.status,
        voice_enabled: options.voice,
        concurrency_limit: options.concurrency,
        daily_attempt_cap: options.dailyCap?.value,
        low_balance_threshold: options.lowBalanceThreshold,
        phone_rate_per_minute: options.phoneRate,
        browser_rate_per_minute: options.browserRate,
        timezone: options.timezone,
        appointment_hours: options.hours,
      });
      show(context, options, await context.api.patch(organizationPath(options.org), body));
    });

  organizationVerb(org, "show", "one organization").action(async (options) => {
    show(context, options, await context.api.get(organizationPath(options.org)));
  });

  paged(verb(org, "list", "all organizations, newest first")).action(async (options) => {
    showPage(context, options, await context.api.get("/organizations", pageQuery(options)), COLUMNS);
  });
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** `mon-fri 09:00-12:00 13:00-17:00,sat 10:00-14:00` by days. What the times are worth is the service's to say. */
function appointmentHours(text: string): Record<string, string[]> {
  if (text.trim() === "any") return {};
  const hours: Record<string, string[]> = {};
  for (const part of text.toLowerCase().split(",")) {
    const [days = "", ...ranges] = part.trim().split(/\s+/);
    const [first = "", last = first] = days.split("-");
    const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (from === -1 || to < from || ranges.length === 0)
      throw new InvalidArgumentError("It must be like mon-fri 09:00-17:00,sat 10:00-14:00, or any.");
    for (const day of DAYS.slice(from, to + 1)) hours[day] = [...(hours[day] ?? []), ...ranges];
  }
  return hours;
}

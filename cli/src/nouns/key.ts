import type { Command } from "commander";
import type { Answer } from "../api-client.ts";
import {
  type Context,
  commaSeparated,
  given,
  instant,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
  whole,
} from "../verb.ts";

const COLUMNS = [
  "id",
  "name",
  "key_prefix",
  "status",
  "rate_limit_per_minute",
  "expires_at",
  "last_used_at",
  "created_at",
];

/** `outreach key …` */
export function addKey(program: Command, context: Context): void {
  const key = program.command("key").description("API keys");

  organizationVerb(key, "create", "make a key; this is the only time that it is shown")
    .requiredOption("--name <name>", "to tell it from others")
    .option("--scopes <a,b>", "what it may do (everything)", commaSeparated)
    .option("--rate-limit <n>", "requests a minute (60)", whole)
    .option("--expires <iso>", "when it stops working (never)", instant)
    .action(async (options) => {
      const body = given({
        name: options.name,
        scopes: options.scopes,
        rate_limit_per_minute: options.rateLimit,
        expires_at: options.expires,
      });
      showIssued(context, options, await context.api.post(organizationPath(options.org, "keys"), body));
    });

  paged(organizationVerb(key, "list", "an organization's keys, newest first"))
    .option("--key <id>", "only this key")
    .action(async (options) => {
      const path = organizationPath(options.org, "keys");
      if (options.key === undefined) {
        showPage(context, options, await context.api.get(path, pageQuery(options)), COLUMNS);
        return;
      }
      const found = [];
      for (let offset = 0; ; offset += 200) {
        const { data } = (await context.api.get(path, { limit: 200, offset })) as { data: { id: string }[] };
        found.push(...data.filter(({ id }) => id === options.key));
        if (found.length > 0 || data.length < 200) break;
      }
      showPage(context, options, { data: found, limit: 1, offset: 0 }, COLUMNS);
    });

  organizationVerb(key, "revoke", "stop a key at once, for good")
    .requiredOption("--key <id>", "the key's id")
    .action(async (options) => {
      const path = organizationPath(options.org, "keys", options.key, "revoke");
      show(context, options, await context.api.post(path, {}));
    });

  organizationVerb(key, "rotate", "make a key in place of another, which stops working")
    .requiredOption("--key <id>", "the old key's id")
    .option("--overlap <minutes>", "how long the old one goes on working (0)", whole)
    .action(async (options) => {
      const path = organizationPath(options.org, "keys", options.key, "rotate");
      const body = given({ overlap_minutes: options.overlap });
      showIssued(context, options, await context.api.post(path, body));
    });
}

function showIssued(context: Context, options: { json?: boolean }, record: Answer): void {
  show(context, options, record);
  if (!options.json) context.err("\nKeep the key now: it can't be shown again.\n");
}

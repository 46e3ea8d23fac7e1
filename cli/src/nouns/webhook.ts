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

const COLUMNS = ["id", "name", "target_url", "enabled", "consecutive_failures", "disabled_reason"];

/** `outreach webhook …` */
export function addWebhook(program: Command, context: Context): void {
  const webhook = program.command("webhook").description("webhook subscriptions");
  const ofSubscription = (name: string, description: string) =>
    organizationVerb(webhook, name, description).requiredOption("--webhook <id>", "the subscription");

  paged(organizationVerb(webhook, "list", "an organization's subscriptions with their health")).action(
    async (options) => {
      const page = await context.api.get(organizationPath(options.org, "webhooks"), pageQuery(options));
      showPage(context, options, page, COLUMNS);
    },
  );

  ofSubscription("ping", "send a test event to one subscription").action(async (options) => {
    const path = organizationPath(options.org, "webhooks", options.webhook, "ping");
    show(context, options, await context.api.post(path, {}));
  });

  ofSubscription("replay-dead-letters", "send again what was given up").action(async (options) => {
    const path = organizationPath(options.org, "webhooks", options.webhook, "replay-dead-letters");
    show(context, options, await context.api.post(path, {}));
  });
}

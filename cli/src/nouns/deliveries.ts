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

const COLUMNS = ["id", "event_type", "state", "attempt", "subscription_id", "next_attempt_at", "created_at"];
const STATES = ["pending", "retrying", "delivered", "dead_letter", "discarded"];

/** `outreach deliveries …` */
export function addDeliveries(program: Command, context: Context): void {
  const deliveries = program.command("deliveries").description("the webhook delivery log");

  paged(organizationVerb(deliveries, "list", "deliveries, newest first"))
    .option("--subscription <id>", "only those of one subscription")
    .addOption(new Option("--state <state>", "only those in one state").choices(STATES))
    .action(async (options) => {
      const query = { ...pageQuery(options), subscription_id: options.subscription, state: options.state };
      const page = await context.api.get(organizationPath(options.org, "deliveries"), query);
      showPage(context, options, page, COLUMNS);
    });

  organizationVerb(deliveries, "show", "one delivery with its attempts")
    .requiredOption("--delivery <id>", "the delivery")
    .action(async (options) => {
      const path = organizationPath(options.org, "deliveries", options.delivery);
      show(context, options, await context.api.get(path));
    });

  organizationVerb(deliveries, "replay", "send one again")
    .requiredOption("--delivery <id>", "the delivery")
    .action(async (options) => {
      const path = organizationPath(options.org, "deliveries", options.delivery, "replay");
      show(context, options, await context.api.post(path, {}));
    });
}

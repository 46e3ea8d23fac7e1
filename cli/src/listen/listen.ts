import { setTimeout as delay } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { Refusal, UsageError } from "../failure.ts";
import { type Context, commaSeparated, whole } from "../verb.ts";
import { deliveryJson, deliveryText } from "./print-delivery.ts";
import { startReceiver } from "./receiver.ts";
import {
  AlreadySubscribed,
  onlyLiveOrganization,
  type Subscription,
  subscribeOrganization,
  subscribeWithKey,
} from "./subscribe.ts";

/** Longer than a service takes to delete a subscription; whoever presses Ctrl-C doesn't wait longer for one that is gone. */
const LONGEST_FAREWELL_MS = 3_000;
/** npx passes a terminal's Ctrl-C on: the second one must not meet a process that is just ending, and kill it. */
const SECOND_SIGNAL_MS = 250;

interface ListenOptions {
  port: number;
  status: number;
  secret: string[];
  key?: string;
  org?: string;
  events: string[];
  api?: string;
  json?: boolean;
}

/** `outreach listen` */
export function addListen(program: Command, context: Context): void {
  program
    .command("listen")
    .description("receive webhooks here, and print them with their signatures checked")
    .option("--port <n>", "the port to listen on", port, 4000)
    .option("--key <api key>", "subscribe with this key for as long as this runs")
    .option("--org <id>", "subscribe to this organization for as long as this runs, as the operator")
    .option(
      "--secret <whsec>",
      "check the signatures of a subscription you made (more than once)",
      secrets,
      [],
    )
    .option("--events <a,b>", "the event types to subscribe to", commaSeparated, ["*"])
    .option("--status <n>", "what to answer, to see retries", status, 200)
    .option("--api <url>", "the public API's address, when it isn't PUBLIC_URL or http://127.0.0.1:$PORT")
    .option("--json", "print each delivery as one JSON object")
    .addHelpText(
      "after",
      `
Without --key, --org and --secret it subscribes to the only live organization there is, else it just receives.
The service sends to this machine when it was started with WEBHOOK_ALLOW_PRIVATE_TARGETS=1.`,
    )
    .action((options: ListenOptions) => listen(context, options));
}

async function listen(context: Context, options: ListenOptions): Promise<void> {
  if (options.key !== undefined && options.org !== undefined) {
    throw new UsageError("--key and --org both name an organization: give one of them.");
  }
  // Before anything is made that would have to be removed again.
  const stop = firstSignal();
  const known = [...options.secret];
  const receiver = await startReceiver({
    port: options.port,
    status: options.status,
    secrets: () => known,
    onDelivery(delivery) {
      const colors = process.stdout.isTTY === true;
      context.out(options.json ? deliveryJson(delivery) : deliveryText(delivery, colors));
    },
  });
  // What isn't a delivery goes to stderr: stdout can be piped on.
  const say = (text: string) => context.err(`${text}\n`);
  try {
    const subscription = await subscribe(context, options, receiver.port, say);
    if (subscription !== null) known.push(subscription.secret);
    say(`Listening on http://localhost:${receiver.port}/ (Ctrl-C ends it)`);
    await stop;
    await Promise.all([subscription === null ? null : leave(subscription, say), delay(SECOND_SIGNAL_MS)]);
  } finally {
    await receiver.close();
  }
}

async function leave(subscription: Subscription, say: (text: string) => void): Promise<void> {
  const gone = await Promise.race([
    subscription.remove().then(
      () => true,
      () => false,
    ),
    delay(LONGEST_FAREWELL_MS, false, { ref: false }),
  ]);
  say(
    gone
      ? `Subscription ${subscription.id} is removed.`
      : `Subscription ${subscription.id} could not be removed. The next "outreach listen" on this port does it.`,
  );
}

/** Subscribes as the options ask. Null: this only receives. */
async function subscribe(
  context: Context,
  options: ListenOptions,
  port: number,
  say: (text: string) => void,
): Promise<Subscription | null> {
  const common = { api: options.api, port, eventTypes: options.events };
  const told = (subscription: Subscription) => {
    const whose =
      subscription.organizationId === null ? "" : ` of organization ${subscription.organizationId}`;
    say(`Subscribed to ${options.events.join(", ")}${whose} for as long as this runs.`);
    return subscription;
  };
  if (options.key !== undefined) {
    return told(await subscribeWithKey(context.environment, { ...common, key: options.key }));
  }
  if (options.org !== undefined) {
    const input = { ...common, organizationId: options.org };
    return told(await subscribeOrganization(context.environment, context.api, input));
  }
  if (options.secret.length > 0) return null;
  // Nothing was asked for: subscribing is a courtesy, and receiving works without it.
  try {
    const organizationId = await onlyLiveOrganization(context.api);
    if (organizationId === null) {
      say("Not subscribed: name an organization with --org or --key. Signatures are checked with --secret.");
      return null;
    }
    const input = { ...common, organizationId };
    return told(await subscribeOrganization(context.environment, context.api, input));
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof AlreadySubscribed)) throw error;
    say(`Not subscribed: ${error.message}`);
    return null;
  }
}

/** Later ones change nothing. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve());
    process.on("SIGTERM", () => resolve());
  });
}

function port(text: string): number {
  const number = whole(text);
  if (number < 0 || number > 65_535) throw new InvalidArgumentError("It must be from 0 to 65535.");
  return number;
}

function status(text: string): number {
  const number = whole(text);
  if (number < 200 || number > 599) throw new InvalidArgumentError("It must be from 200 to 599.");
  return number;
}

function secrets(text: string, before: string[]): string[] {
  return [...before, text];
}

import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import type { OutboxDeps } from "./events/outbox.ts";
import type { LeadWriter } from "./features/leads/index.ts";
import type { SubscriptionDeps } from "./features/webhooks/index.ts";
import type { Speech } from "./voice/speech/index.ts";

/** What the routes of both APIs are made with. */
export interface AppDeps extends OutboxDeps {
  config: Config;
  logger: Logger;
  database: Database;
  leadWriter: LeadWriter;
  targetCheck: SubscriptionDeps["targetCheck"];
  speech: Speech;
  /** To be called after a key or an organization's state changed: takes effect at once here and soon in other processes. */
  keysChanged(organizationId: string): void;
}

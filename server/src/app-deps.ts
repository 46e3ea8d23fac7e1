import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { CallsDeps, HangUps } from "./features/calls/index.ts";
import type { LeadWriter } from "./features/leads/index.ts";
import type { SubscriptionDeps } from "./features/webhooks/index.ts";
import type { Vendors } from "./voice/carriers/vendors.ts";
import type { Speech } from "./voice/speech/index.ts";

/** What the routes of both APIs are made with. */
export interface AppDeps extends CallsDeps {
  config: Config;
  logger: Logger;
  leadWriter: LeadWriter;
  targetCheck: SubscriptionDeps["targetCheck"];
  speech: Speech;
  /** Null where this process has no calls over vendors' APIs. */
  vendors: Vendors | null;
  /** To be called after a change that may let a campaign dial: wakes the dialers, here and in other processes. */
  campaignsChanged(): void;
  /** To be called after somebody has asked, outside of a call, not to be called: ends the calls that run to their number. */
  optedOut: HangUps["optedOut"];
  /** To be called after each change of a trunk: the carriers hear of it, here and in other processes. */
  trunksChanged(): void;
  /** To be called after a key or an organization's state changed: takes effect at once here and soon in other processes. */
  keysChanged(organizationId: string): void;
}

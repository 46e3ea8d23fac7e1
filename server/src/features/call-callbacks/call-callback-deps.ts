import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Vendors } from "../../voice/carriers/vendors.ts";

export interface CallCallbackDeps {
  clock: Clock;
  config: Pick<Config, "public" | "voiceUrl" | "twilio" | "telnyx">;
  /** Null in a process that has no calls over vendors' APIs. */
  vendors: Pick<Vendors, "twilio" | "telnyx"> | null;
}

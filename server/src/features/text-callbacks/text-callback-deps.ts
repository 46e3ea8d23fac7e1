import type { Config } from "../../config.ts";
import type { ReceiveTextDeps } from "../opt-outs/index.ts";

export interface TextCallbackDeps extends ReceiveTextDeps {
  config: Pick<Config, "public" | "twilioAuthToken" | "telnyxPublicKey">;
  logger: { warn(fields: object, message: string): void };
}

import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";

export interface TextCallbackDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  config: Pick<Config, "public" | "twilioAuthToken" | "telnyxPublicKey">;
  logger: { warn(fields: object, message: string): void };
}

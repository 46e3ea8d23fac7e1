import type { Config } from "../../config.ts";
import type { Database } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import type { RecordingStore } from "../recordings/index.ts";
import type { CallMetrics } from "./call-metrics.ts";
import type { VoiceHost } from "./voice-host.ts";

/** What the calls of this process are made with. */
export interface CallsDeps extends OutboxDeps {
  database: Database;
  config: Pick<Config, "public" | "iceServers">;
  logger: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Null in a process without the role `voice`: it reads calls, and asks others to hang up. */
  voice: VoiceHost | null;
  recordings: RecordingStore;
  callMetrics: CallMetrics;
  /** Asks the other processes to hang up a call, should it be theirs. */
  askToHangUp(callId: string): void;
}

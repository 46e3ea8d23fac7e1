import type { Config } from "../../config.ts";
import type { Database, Transaction } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import type { RecordingStore } from "../recordings/index.ts";
import type { CallMetrics } from "./call-metrics.ts";
import type { VoiceHost } from "./voice-host.ts";

/** What a campaign is told of the end of its call. Instants are milliseconds since the epoch. */
export interface EndOfCampaignCall {
  organizationId: string;
  callId: string;
  /** As stored. */
  status: string;
  outcome: string;
  at: number;
  answeredAt: number | null;
  answeredBy: string | null;
  optedOut: boolean;
  /** When the person asked to be called again. */
  callbackAt: number | null;
  costTokens: number;
  /** The code by which the call was refused before it rang anywhere; null when it was taken. */
  refusedAs: string | null;
}

/** How processes tell each other that something is to be done, or is done. What is lost of it costs a second. */
export interface VoiceRequestSignals {
  /** @param ownerId the process that it is for; null: any */
  asked(ownerId: string | null): void;
  answered(requestId: string): void;
  /** @returns what ends it */
  onAnswer(requestId: string, listener: () => void): () => void;
}

/** What the calls of this process are made with. */
export interface CallsDeps extends OutboxDeps {
  database: Database;
  config: Pick<Config, "public" | "iceServers" | "carrierFallbacks">;
  logger: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Null in a process without the role `voice`: it reads calls, and asks others for all else. */
  voice: VoiceHost | null;
  recordings: RecordingStore;
  callMetrics: CallMetrics;
  /** A campaign's call has ended: settles its attempt, in the transaction of the end. */
  settleAttempt(transaction: Transaction, end: EndOfCampaignCall): Promise<void>;
  voiceRequests: VoiceRequestSignals;
}

import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Carrier } from "./carrier.ts";
import type { AnswerInbound } from "./inbound.ts";
import { createMediaSockets, type MediaSockets } from "./media-socket/index.ts";
import { createTelnyxCarrier, type TelnyxCarrier } from "./telnyx/index.ts";
import { createTwilioCarrier, type TwilioCarrier } from "./twilio/index.ts";

/** The carriers behind vendors' APIs, and what those APIs reach us by. */
export interface Vendors {
  /** Null where it isn't set up. */
  twilio: TwilioCarrier | null;
  telnyx: TelnyxCarrier | null;
  /** Those that are set up. */
  carriers: readonly Carrier[];
  mediaSockets: MediaSockets;
  /** They take calls too, from now on. */
  answerWith(answer: AnswerInbound): void;
  /** Closes the carriers, too. */
  close(): Promise<void>;
}

/** @returns null where no vendor is set up */
export function createVendors(deps: {
  config: {
    twilio: { accountSid: string; authToken: string; apiUrl: string } | null;
    telnyx: { apiKey: string; connectionId: string; apiUrl: string } | null;
    voiceUrl: string;
  };
  clock: Clock;
  logger: Record<"error" | "warn" | "debug", (fields: object, message: string) => void>;
}): Vendors | null {
  const { config, clock, logger } = deps;
  const newToken = () => randomBytes(20).toString("hex");
  const mediaSockets = createMediaSockets({ newToken });
  const common = { clock, logger, sockets: mediaSockets, voiceUrl: config.voiceUrl };
  const twilio = config.twilio && createTwilioCarrier({ ...config.twilio, ...common });
  const telnyx = config.telnyx && createTelnyxCarrier({ ...config.telnyx, ...common, newToken });
  const carriers = [twilio, telnyx].filter((carrier) => carrier !== null);
  if (carriers.length === 0) return null;
  return {
    twilio,
    telnyx,
    carriers,
    mediaSockets,
    answerWith(answer) {
      for (const carrier of carriers) carrier.answerWith(answer);
    },
    async close() {
      await Promise.allSettled(carriers.map((carrier) => carrier.close()));
      mediaSockets.close();
    },
  };
}

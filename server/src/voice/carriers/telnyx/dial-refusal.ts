import { CarrierRefusal } from "../carrier.ts";
import { VendorTrouble } from "../vendor-request.ts";

/** Telnyx's codes for channels that are all in use: of the account, its outbound voice profile, the connection, or the number. */
const NO_CHANNEL = new Set(["D1", "D2", "D3", "D22"]);

/** Why Telnyx didn't take a call, in the product's own words. */
export function dialRefusal(error: unknown): CarrierRefusal {
  if (!(error instanceof VendorTrouble)) throw error;
  const { status, code, message } = error;
  if (status === 429 || (code !== null && NO_CHANNEL.has(code)))
    return new CarrierRefusal("concurrency_limit", `${message}: it takes no more calls now.`, "congestion");
  if (status === 401)
    return new CarrierRefusal("no_voice_carrier_available", `${message}: it doesn't accept TELNYX_API_KEY.`);
  if (status === 404)
    return new CarrierRefusal(
      "no_voice_carrier_available",
      `${message}: it doesn't know TELNYX_CONNECTION_ID.`,
    );
  if (status === 403)
    return new CarrierRefusal("voice_carrier_blocked", `${message}: it doesn't allow this call.`, "blocked");
  return new CarrierRefusal("carrier_dial_failed", `${message}.`, "failed", !error.isRefusal);
}

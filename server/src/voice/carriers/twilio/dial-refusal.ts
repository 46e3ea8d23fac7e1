import { CarrierRefusal } from "../carrier.ts";
import { VendorTrouble } from "../vendor-request.ts";

/** Twilio's codes for a call that it doesn't allow: by place, by its own lists, or from a trial account. */
const BLOCKED = new Set(["13225", "13227", "13248", "21215", "21216", "21219", "21608"]);
/** For an account that is closed or suspended. */
const NO_ACCOUNT = new Set(["10001", "20005", "20006"]);
/** For a caller ID that isn't the account's. */
const NOT_OURS = new Set(["21210", "21212", "21213"]);
/** For a number that can't be called. */
const NO_NUMBER = new Set(["13223", "13224", "21211", "21214", "21217"]);

/** Why Twilio didn't take a call, in the product's own words. */
export function dialRefusal(error: unknown): CarrierRefusal {
  if (!(error instanceof VendorTrouble)) throw error;
  const { status, message } = error;
  const code = error.code ?? "";
  if (status === 429)
    return new CarrierRefusal("concurrency_limit", `${message}: it takes no more calls now.`, "congestion");
  if (BLOCKED.has(code))
    return new CarrierRefusal("voice_carrier_blocked", `${message}: it doesn't allow this call.`, "blocked");
  if (NO_ACCOUNT.has(code))
    return new CarrierRefusal("no_voice_carrier_available", `${message}: the account isn't active.`);
  if (NOT_OURS.has(code))
    return new CarrierRefusal(
      "carrier_dial_failed",
      `${message}: the caller ID must be a number of the account, or one that is verified there.`,
    );
  if (NO_NUMBER.has(code))
    return new CarrierRefusal("carrier_dial_failed", `${message}: the number can't be called.`);
  if (status === 401)
    return new CarrierRefusal(
      "no_voice_carrier_available",
      `${message}: it doesn't accept TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.`,
    );
  if (status === 403)
    return new CarrierRefusal("voice_carrier_blocked", `${message}: it doesn't allow this call.`, "blocked");
  if (status === 404)
    return new CarrierRefusal("no_voice_carrier_available", `${message}: it doesn't know the account.`);
  return new CarrierRefusal("carrier_dial_failed", `${message}.`, "failed", !error.isRefusal);
}

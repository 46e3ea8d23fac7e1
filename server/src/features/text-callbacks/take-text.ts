import { DomainError } from "../../domain-error.ts";
import { canonicalPhoneNumber } from "../leads/index.ts";
import { findOwners } from "../numbers/index.ts";
import { receiveText } from "../opt-outs/index.ts";
import type { TextCallbackDeps } from "./text-callback-deps.ts";

export interface VendorText {
  vendor: "twilio" | "telnyx";
  from: string;
  to: string;
  body: string;
  /** The carrier itself has taken it for an opt-out, by a keyword of its own. */
  isOptOutByCarrier: boolean;
}

const MOST_BODY = 10_000;

/**
 * Takes a text for each organization that has the number it was sent to. One that can't be placed, or whose sender is no phone
 * number, is dropped with a line in the log: a refusal would only make the carrier send it again.
 */
export async function takeText(deps: TextCallbackDeps, text: VendorText, requestId: string): Promise<void> {
  const drop = (why: string) =>
    deps.logger.warn({ request_id: requestId, vendor: text.vendor }, `a text was dropped: ${why}`);
  const to = canonicalPhoneNumber(plain(text.to));
  const owners = to === null ? [] : await findOwners(deps.database, to);
  if (owners.length === 0) return drop("no organization has the number it was sent to");
  for (const organizationId of owners) {
    try {
      await receiveText(deps, {
        organizationId,
        from: plain(text.from),
        to: to!,
        body: storable(text.body),
        isOptOutByCarrier: text.isOptOutByCarrier,
      });
    } catch (error) {
      if (!(error instanceof DomainError && error.code === "invalid_phone_number")) throw error;
      drop("its sender is no phone number");
    }
  }
}

/** `whatsapp:+14155550100` is somebody's number too. */
function plain(address: string): string {
  return address.replace(/^(?:whatsapp|rcs|sms):/i, "").trim();
}

/** As PostgreSQL can keep it, and no longer than the private API takes it. */
function storable(body: string): string {
  return Array.from(body.toWellFormed().replaceAll("\0", "")).slice(0, MOST_BODY).join("");
}

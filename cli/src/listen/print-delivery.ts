import { styleText } from "node:util";
import type { SignatureVerdict } from "../../../server/src/features/webhooks/delivery/signature.ts";
import type { ReceivedDelivery } from "./receiver.ts";

const REASONS: Record<Extract<SignatureVerdict, { ok: false }>["reason"], string> = {
  missing_signature: "there is no X-Service-Signature-256",
  malformed_signature: "X-Service-Signature-256 isn't t=…,v1=…",
  signature_mismatch:
    "it was signed with another secret (one of your own goes to --secret), or the body was changed",
  timestamp_outside_tolerance:
    "its time is more than 300 s from this machine's (does the service run with CLOCK_START?)",
};

/** A delivery to read: a line of what the headers say, and the event's data. */
export function deliveryText(delivery: ReceivedDelivery, colors: boolean): string {
  const paint = (color: "green" | "red" | "yellow" | "bold", text: string) =>
    colors ? styleText(color, text, { validateStream: false }) : text;
  const { signature } = delivery;
  const checked =
    signature === null
      ? paint("yellow", "– not checked: no secret given")
      : signature.ok
        ? paint("green", "✔ verified")
        : paint("red", `✘ not verified: ${REASONS[signature.reason]}`);
  const head = [
    delivery.receivedAt.toTimeString().slice(0, 8),
    paint("bold", plain(delivery.type ?? "(no X-Service-Event)")),
    plain(delivery.id ?? "(no X-Service-Event-Id)"),
    `attempt ${delivery.attempt ?? "?"}`,
    checked,
  ];
  return `${head.join("  ")}\n${bodyText(delivery.rawBody)}\n\n`;
}

/** A delivery for a program: one JSON object on one line. */
export function deliveryJson(delivery: ReceivedDelivery): string {
  const { signature } = delivery;
  return `${JSON.stringify({
    received_at: delivery.receivedAt.toISOString(),
    type: delivery.type,
    id: delivery.id,
    attempt: delivery.attempt,
    signature: signature === null ? "unchecked" : signature.ok ? "verified" : signature.reason,
    body: parsed(delivery.rawBody) ?? delivery.rawBody.toString("utf8"),
  })}\n`;
}

function bodyText(rawBody: Buffer): string {
  const body = parsed(rawBody);
  if (body === null) return `  (not a JSON object) ${plain(rawBody.toString("utf8").slice(0, 1000))}`;
  return JSON.stringify(body.data ?? body, null, 2).replace(/^/gm, "  ");
}

function parsed(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(rawBody.toString("utf8"));
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Whoever can reach the port can send anything: nothing of it may steer the terminal. */
function plain(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

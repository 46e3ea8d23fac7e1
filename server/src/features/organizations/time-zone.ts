import { DomainError } from "../../domain-error.ts";

/** Names only: runtimes differ in whether they take offsets such as +05:30, which are no IANA zones. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/**
 * An IANA time zone in its usual spelling. A name that the time zone database keeps as an alias (Asia/Kolkata or
 * Asia/Calcutta, depending on the runtime) stays as it was sent.
 * @throws DomainError invalid_request
 */
export function readTimeZone(text: string): string {
  const known = NAME.test(text) ? spelling(text) : null;
  if (known === null) {
    throw new DomainError(
      "invalid_request",
      "timezone must be an IANA time zone such as America/New_York or UTC.",
    );
  }
  return known.toLowerCase() === text.toLowerCase() ? known : text;
}

function spelling(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

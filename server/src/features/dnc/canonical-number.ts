import { DomainError } from "../../domain-error.ts";
import { canonicalPhoneNumber } from "../leads/index.ts";

/** The number as the list keeps it, E.164. @throws DomainError invalid_phone_number */
export function canonicalNumber(text: string): string {
  const number = canonicalPhoneNumber(text);
  if (number === null)
    throw new DomainError(
      "invalid_phone_number",
      "phone_number must be 10 to 15 digits, without an extension.",
    );
  return number;
}

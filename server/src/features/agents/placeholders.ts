import type { Scalar } from "./call-input.schema.ts";

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}/g;

/**
 * Puts values in the places of `{{name}}`; spaces inside the braces are allowed. A name without a value, or with null,
 * becomes empty. A value is data: `{{…}}` in it stays as it is. Braces around anything that is no name stay too.
 */
export function fillPlaceholders(text: string, values: Readonly<Record<string, Scalar>>): string {
  return text.replace(PLACEHOLDER, (_, name: string) =>
    Object.hasOwn(values, name) ? String(values[name] ?? "") : "",
  );
}

/** What is built in of a call's lead. */
export interface LeadValues {
  first_name: string | null;
  last_name: string | null;
  full_name: string;
  phone_number: string;
  email_address: string | null;
}

/** What a call's placeholders stand for, as text: the lead's built-in values, and over them what the request sent. */
export function placeholderValues(
  lead: Readonly<LeadValues> | null,
  templateContext: Readonly<Record<string, Scalar>>,
): Record<string, string> {
  const builtIn: Record<string, Scalar> = lead
    ? {
        first_name: lead.first_name,
        last_name: lead.last_name,
        full_name: lead.full_name,
        phone_number: lead.phone_number,
        email_address: lead.email_address,
      }
    : {};
  return Object.fromEntries(
    Object.entries({ ...builtIn, ...templateContext }).map(([name, value]) => [name, String(value ?? "")]),
  );
}

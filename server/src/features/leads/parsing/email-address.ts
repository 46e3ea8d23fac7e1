const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;

/** RFC 5321's Dot-string, and its Quoted-string (which alone may hold a space or an `@`). */
const DOT_STRING = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const QUOTED_STRING = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
/** Two or more labels of letters, digits and inner hyphens, the last one not a number: a bare IP address is no domain. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const ASCII = /^[ -~]*$/;

/**
 * The address trimmed and lower-cased, or null when it isn't one by RFC 5321: ASCII, local part up to 64 characters,
 * 254 in all, a domain name with at least one dot (no address literal).
 */
export function normaliseEmail(value: string): string | null {
  const trimmed = value.trim();
  // Before lower-casing: U+212A, the Kelvin sign, would become a plain "k".
  if (trimmed.length > LONGEST_ADDRESS || !ASCII.test(trimmed)) return null;
  const address = trimmed.toLowerCase();
  const at = address.lastIndexOf("@");
  if (at < 1 || at > LONGEST_LOCAL_PART) return null;
  const localPart = address.slice(0, at);
  const validLocalPart = DOT_STRING.test(localPart) || QUOTED_STRING.test(localPart);
  return validLocalPart && DOMAIN.test(address.slice(at + 1)) ? address : null;
}

/**
 * Characters that PostgreSQL's text cannot hold: NUL and lone surrogates. A value with one is broken. With the `u` flag
 * `\p{Surrogate}` matches lone ones only.
 */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** True when PostgreSQL could not store this text as it is. */
export function hasUnstorableCharacter(text: string): boolean {
  return UNSTORABLE.test(text);
}

/**
 * Characters that PostgreSQL's text cannot hold: NUL and lone surrogates. A value with one is broken; a raw row that
 * is kept only to be looked at gets U+FFFD in their place. With the `u` flag `\p{Surrogate}` matches lone ones only.
 */
const UNSTORABLE = /\0|\p{Surrogate}/u;
const EVERY_UNSTORABLE = /\0|\p{Surrogate}/gu;

/** True when PostgreSQL could not store this text as it is. */
export function hasUnstorableCharacter(text: string): boolean {
  return UNSTORABLE.test(text);
}

/** The text with each NUL and lone surrogate replaced by U+FFFD, e.g. for the raw row of a stored row error. */
export function replaceUnstorableCharacters(text: string): string {
  return text.replace(EVERY_UNSTORABLE, "\u{FFFD}");
}

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const SEMICOLON = 0x3b;

const BLANK = /^\s$/;

/** True for the UTF-16 codes that `String.prototype.trim` drops; the ASCII ones without a regular expression. */
export function isBlankCode(code: number): boolean {
  if (code < 0x80) return code === SPACE || (code >= TAB && code <= CR);
  return BLANK.test(String.fromCharCode(code));
}

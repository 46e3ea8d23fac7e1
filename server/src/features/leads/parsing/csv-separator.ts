import { COMMA, CR, isBlankCode, LF, QUOTE, SEMICOLON, TAB } from "./csv-characters.ts";
import { PAUSE, PAUSE_EVERY, type Pause } from "./csv-pause.ts";

/** Where the header row starts, and the code of the character that separates its cells. */
export interface HeaderPlace {
  start: number;
  separator: number;
}

/**
 * Finds the first row that isn't blank and what separates its cells: the comma when it has one outside quotes, else
 * `;` or tab, whichever it has more of. Null when every row is blank.
 */
export function* findHeader(text: string, from: number): Generator<Pause, HeaderPlace | null> {
  let start = from;
  let hasContent = false;
  let inQuotes = false;
  // Which character separates isn't known yet, so a quote opens a cell behind any that might.
  let cellStarts = true;
  let commas = 0;
  let semicolons = 0;
  let tabs = 0;
  let pauseAt = from + PAUSE_EVERY;
  for (let at = from; at < text.length; at++) {
    if (at >= pauseAt) {
      yield PAUSE;
      pauseAt = at + PAUSE_EVERY;
    }
    const code = text.charCodeAt(at);
    if (inQuotes) {
      if (code !== QUOTE) hasContent ||= !isBlankCode(code);
      else if (text.charCodeAt(at + 1) !== QUOTE) inQuotes = false;
      else {
        hasContent = true;
        at++;
      }
    } else if (code === LF || code === CR) {
      if (hasContent) break;
      start = at + 1;
      cellStarts = true;
      commas = semicolons = tabs = 0;
    } else if (code === COMMA || code === SEMICOLON || code === TAB) {
      if (code === COMMA) commas++;
      else if (code === SEMICOLON) semicolons++;
      else tabs++;
      cellStarts = true;
    } else {
      if (code === QUOTE && cellStarts) inQuotes = true;
      else hasContent ||= !isBlankCode(code);
      cellStarts = false;
    }
  }
  if (!hasContent) return null;
  return { start, separator: separatorOf(commas, semicolons, tabs) };
}

function separatorOf(commas: number, semicolons: number, tabs: number): number {
  if (commas > 0 || semicolons + tabs === 0) return COMMA;
  return semicolons >= tabs ? SEMICOLON : TAB;
}

/**
 * The CSV grammar. Written here because `csv-parse`, which the tests compare this with, can't tell two things apart:
 * strict, it refuses a stray quote in an unquoted cell, which the contract allows; with `relax_quotes` it swallows
 * a row whose quote is never closed into its neighbour and so loses a lead without a word.
 */
import { DomainError } from "../../../domain-error.ts";
import { CR, LF, QUOTE, SPACE, TAB } from "./csv-characters.ts";
import { PAUSE, PAUSE_EVERY, type Pause } from "./csv-pause.ts";

export interface ScannedRow {
  /** At most as many as the caller asked for; the rest of the row is read past. */
  cells: string[];
  /** Where the row starts and ends in the text, its line break left out. */
  start: number;
  end: number;
}

/**
 * Yields the rows of `text` from `from` on, blank ones (every cell empty or white space) left out, and a pause now
 * and then, inside huge cells too. CRLF, CR and LF end a row, also mixed.
 * @throws DomainError `invalid_csv` when a quoted cell has no end
 */
export function* scanRows(
  text: string,
  from: number,
  separator: number,
  mostCells: number,
): Generator<ScannedRow | Pause, void> {
  const { length } = text;
  let at = from;
  let pauseAt = at + PAUSE_EVERY;
  while (at < length) {
    const row: ScannedRow = { cells: [], start: at, end: at };
    let isBlank = true;
    for (;;) {
      const cellStart = at;
      let cell: string;
      if (text.charCodeAt(at) !== QUOTE) {
        while (!isEndOfCell(text, at, separator)) {
          at++;
          if (at >= pauseAt) {
            yield PAUSE;
            pauseAt = at + PAUSE_EVERY;
          }
        }
        cell = text.slice(cellStart, at);
      } else {
        cell = "";
        let pieceStart = at + 1;
        let hasEscapes = false;
        for (at++; ; at++) {
          if (at >= pauseAt) {
            cell += unescaped(text, pieceStart, at, hasEscapes);
            pieceStart = at;
            yield PAUSE;
            pauseAt = at + PAUSE_EVERY;
          }
          if (at >= length) throw unclosedQuote(text, cellStart);
          if (text.charCodeAt(at) !== QUOTE) continue;
          if (text.charCodeAt(at + 1) !== QUOTE) break;
          hasEscapes = true;
          at++;
        }
        cell += unescaped(text, pieceStart, at, hasEscapes);
        const closingQuote = at;
        at = skipPadding(text, at + 1, separator);
        if (!isEndOfCell(text, at, separator)) {
          // Text behind the closing quote. Within one line the quotes are ordinary characters (`"a "b" c"`); over
          // several, an earlier quote was never closed and has swallowed the line break.
          if (/[\r\n]/.test(text.slice(cellStart, closingQuote))) throw unclosedQuote(text, cellStart);
          at = endOfCell(text, at, separator);
          cell = text.slice(cellStart, at);
        }
      }
      isBlank &&= cell === "" || cell.trim() === "";
      if (row.cells.length < mostCells) row.cells.push(cell);
      if (at >= pauseAt) {
        yield PAUSE;
        pauseAt = at + PAUSE_EVERY;
      }
      if (at >= length || text.charCodeAt(at) !== separator) break;
      at++;
    }
    row.end = at;
    at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
    if (!isBlank) yield row;
  }
}

function endOfCell(text: string, from: number, separator: number): number {
  let at = from;
  while (!isEndOfCell(text, at, separator)) at++;
  return at;
}

function isEndOfCell(text: string, at: number, separator: number): boolean {
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  return code === separator || code === LF || code === CR;
}

/** Spaces between a closing quote and the separator are nobody's data. */
function skipPadding(text: string, from: number, separator: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator || (code !== SPACE && code !== TAB)) break;
  }
  return at;
}

/** Not with `replace`: it builds a rope of every match, which took 170 ms to flatten in a cell of quotes; this takes 3. */
function unescaped(text: string, from: number, to: number, hasEscapes: boolean): string {
  const piece = text.slice(from, to);
  return hasEscapes ? piece.split('""').join('"') : piece;
}

function unclosedQuote(text: string, quoteAt: number): DomainError {
  let line = 1;
  for (let at = 0; at < quoteAt; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) line++;
  }
  return new DomainError("invalid_csv", `The quote opened on line ${line} of the CSV is never closed.`);
}

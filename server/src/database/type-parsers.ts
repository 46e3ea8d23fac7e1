import pg from "pg";

/** `2026-11-21 07:44:00.123+00` (the server speaks UTC) as `2026-11-21T07:44:00.123Z`. */
function isoFromPostgres(text: string): string {
  const plain = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!plain) return new Date(text.replace(" ", "T").replace(/\+00$/, "Z")).toISOString();
  return `${plain[1]}T${plain[2]}.${(plain[3] ?? "").padEnd(3, "0").slice(0, 3)}Z`;
}

const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, isoFromPostgres],
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);

/** Timestamps as ISO 8601 UTC text, bigints and numerics as numbers, all else as the driver reads it. */
export const getTypeParser = ((oid: number, format?: "text" | "binary") =>
  (format !== "binary" && parsers.get(oid)) ||
  pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;

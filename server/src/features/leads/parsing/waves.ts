/**
 * Splits rows into waves that have each phone number once at most, so that one statement can upsert a whole wave:
 * the nth row of a phone number goes into the nth wave. Rows keep their order within a wave, and those of one phone
 * number across waves.
 */
export function splitIntoWaves<Row extends { readonly phone: string }>(rows: readonly Row[]): Row[][] {
  const waves: Row[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const nth = seen.get(row.phone) ?? 0;
    seen.set(row.phone, nth + 1);
    const wave = waves[nth];
    if (wave === undefined) waves.push([row]);
    else wave.push(row);
  }
  return waves;
}

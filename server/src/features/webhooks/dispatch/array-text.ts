/**
 * A PostgreSQL array as text, of values that need no quoting: ids, numbers, states, ISO times. The driver quotes and
 * escapes every element, which took a tenth of the dispatcher's time.
 */
export function arrayText(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

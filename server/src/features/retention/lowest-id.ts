/** The lowest UUIDv7 of a millisecond (since the epoch): every id made earlier is below it. */
export function lowestIdAt(milliseconds: number): string {
  const time = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7000-8000-000000000000`;
}

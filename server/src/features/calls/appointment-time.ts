import type { BookAppointmentArguments } from "../../voice/engines/tool-definitions.ts";
import { dayOf, namedDay, type WallClock } from "../../wall-clock.ts";

/**
 * The instant that a person means by a day and a time on their own clock.
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; null when there is no such day
 */
export function appointmentTime(
  { day, time }: Pick<BookAppointmentArguments, "day" | "time">,
  now: number,
  clock: WallClock,
): number | null {
  const date = namedDay(day, dayOf(clock.at(now)));
  if (date === null) return null;
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  return clock.instantOf(date + hours * 3_600_000 + minutes * 60_000);
}

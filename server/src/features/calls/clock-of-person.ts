import { zonesOfNumber } from "../../numbering/index.ts";
import { type WallClock, wallClockIn } from "../../wall-clock.ts";
import type { OpenedCall } from "./open-call.ts";

/** The person's own clock: that of their number's main zone, else the organization's. */
export function clockOfPerson(call: Pick<OpenedCall, "timezone">, phoneNumber: string | null): WallClock {
  return wallClockIn((phoneNumber === null ? undefined : zonesOfNumber(phoneNumber)[0]) ?? call.timezone);
}

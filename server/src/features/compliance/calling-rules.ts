import type { CallingRule, Day } from "./rule-book.ts";

const MON_FRI: readonly Day[] = ["mon", "tue", "wed", "thu", "fri"];
const MON_SAT: readonly Day[] = [...MON_FRI, "sat"];
const EVERY_DAY: readonly Day[] = [...MON_SAT, "sun"];
const SUNDAY_AND_HOLIDAYS: readonly Day[] = ["sun", "holiday"];

const NONE = "none";
const TX = "Bus. & Com. Code ch. 301; SB 140";
const PA = "HB 318; SB 992";
const SECONDARY = "secondary source";

/** When a rule's first day isn't known, it is taken to hold since the federal law that it narrows. */
const FIRST_DAY = "1991-12-20";

/**
 * The rules that calls are placed by. A jurisdiction's rows name every day of the week. To change a row, end it (`effective_to`,
 * the first day that it doesn't hold any more) and add its successor with the next version: a verdict names the version
 * it was made by.
 */
export const callingRules: readonly CallingRule[] = [
  row("product-frequency-cap", "*", EVERY_DAY, "00:00-24:00", "This product's own cap", "A", { cap: 3 }),
  row("us-hours", "US", EVERY_DAY, "08:00-21:00", "47 CFR 64.1200(c)(1)", "A"),
  row("ca-hours", "CA", EVERY_DAY, "08:00-21:00", "This product's choice: the US federal hours", "C"),
  row("elsewhere-hours", "other", EVERY_DAY, "08:00-20:00", "This product's choice", "C"),
  row("fl-hours", "US-FL", EVERY_DAY, "08:00-20:00", "Fla. Stat. 501.616(6)", "A", { cap: 3 }),
  row("ok-hours", "US-OK", EVERY_DAY, "08:00-20:00", "15 O.S. 775C.4", "B", { cap: 3 }),
  row("wa-hours", "US-WA", EVERY_DAY, "08:00-20:00", "RCW 19.158.040", "A"),
  row("md-hours", "US-MD", EVERY_DAY, "08:00-20:00", "Stop the Spam Calls Act, 2024-01-01", "B", {
    cap: 3,
    effective_from: "2024-01-01",
  }),
  row("tx-hours", "US-TX", MON_SAT, "09:00-21:00", TX, "B"),
  row("tx-sunday", "US-TX", ["sun"], "12:00-21:00", TX, "B"),
  row("ct-hours", "US-CT", EVERY_DAY, "09:00-20:00", "SB 1058", "B"),
  row("la-hours", "US-LA", MON_SAT, "08:00-20:00", "PSC R-29617", "B"),
  row("la-closed", "US-LA", SUNDAY_AND_HOLIDAYS, NONE, "PSC R-29617", "B"),
  row("va-hours", "US-VA", EVERY_DAY, "08:00-21:00", "SB 1339", "B"),
  row("al-hours", "US-AL", MON_SAT, "08:00-20:00", SECONDARY, "C"),
  row("al-closed", "US-AL", SUNDAY_AND_HOLIDAYS, NONE, SECONDARY, "C"),
  row("ms-hours", "US-MS", MON_SAT, "08:00-20:00", SECONDARY, "C"),
  row("ms-closed", "US-MS", ["sun"], NONE, SECONDARY, "C"),
  row("ky-hours", "US-KY", EVERY_DAY, "10:00-21:00", SECONDARY, "C"),
  row("nv-hours", "US-NV", EVERY_DAY, "09:00-20:00", SECONDARY, "C"),
  row("ri-hours", "US-RI", EVERY_DAY, "08:00-21:00", SECONDARY, "C"),
  row("ri-closed", "US-RI", ["holiday"], NONE, SECONDARY, "C"),
  row("ut-hours", "US-UT", EVERY_DAY, "08:00-21:00", SECONDARY, "C"),
  row("ut-closed", "US-UT", ["holiday"], NONE, SECONDARY, "C"),
  row("pa-hours", "US-PA", MON_SAT, "08:00-21:00", PA, "C"),
  row("pa-closed", "US-PA", SUNDAY_AND_HOLIDAYS, NONE, PA, "C"),
  row("me-automated-hours", "US-ME", MON_FRI, "09:00-17:00", SECONDARY, "C", { channel: "automated_voice" }),
  row("me-automated-closed", "US-ME", ["sat", "sun"], NONE, SECONDARY, "C", { channel: "automated_voice" }),
];

function row(
  id: string,
  jurisdiction: string,
  days: readonly Day[],
  hours: string,
  citation: string,
  confidence: CallingRule["confidence"],
  more: Partial<CallingRule> = {},
): CallingRule {
  const [start, end] = hours === NONE ? [null, null] : (hours.split("-") as [string, string]);
  const period = { effective_from: FIRST_DAY, effective_to: null };
  return {
    ...{ id, version: 1, jurisdiction, channel: "voice", days, start, end, cap: null },
    ...{ ...period, citation, confidence, ...more },
  };
}

import { describe, expect, it } from "vitest";
import { callingRules } from "./calling-rules.ts";
import { createDecideCall } from "./decide-call.ts";
import { loadRules } from "./rule-book.ts";
import { question } from "./testing/question.ts";

const decide = createDecideCall(loadRules(callingRules));
const HOUR = 3_600_000;

/** @param local with the zone's offset, such as 2026-03-04T08:00:00-05:00 */
const ask = (number: string, local: string, changes: Parameters<typeof question>[0] = {}) =>
  decide(question({ number, at: Date.parse(local), ...changes }));
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

// 2026-03-04 is a Wednesday, 2026-03-08 a Sunday with a clock change, 2026-03-14 a Saturday, 2026-03-15 a Sunday.
describe("the hours of each rule", () => {
  const NONE = null;
  it.each<
    [rule: string, number: string, day: string, offset: string, opens: string | null, closes: string | null]
  >([
    ["us-hours", "+12125550100", "2026-03-04", "-05:00", "08:00", "21:00"],
    ["us-hours", "+12125550100", "2026-03-15", "-04:00", "08:00", "21:00"],
    ["us-hours", "+18085550100", "2026-03-04", "-10:00", "08:00", "21:00"],
    ["ca-hours", "+14165550100", "2026-03-04", "-05:00", "08:00", "21:00"],
    ["elsewhere-hours", "+493012345678", "2026-03-04", "+01:00", "08:00", "20:00"],
    ["elsewhere-hours", "+18765550100", "2026-03-04", "-05:00", "08:00", "20:00"],
    ["fl-hours", "+13055550100", "2026-03-04", "-05:00", "08:00", "20:00"],
    ["ok-hours", "+14055550100", "2026-03-04", "-06:00", "08:00", "20:00"],
    ["wa-hours", "+12065550100", "2026-03-04", "-08:00", "08:00", "20:00"],
    ["md-hours", "+13015550100", "2026-03-04", "-05:00", "08:00", "20:00"],
    ["tx-hours", "+12145550100", "2026-03-14", "-05:00", "09:00", "21:00"],
    ["tx-sunday", "+12145550100", "2026-03-15", "-05:00", "12:00", "21:00"],
    ["ct-hours", "+12035550100", "2026-03-04", "-05:00", "09:00", "20:00"],
    ["la-hours", "+15045550100", "2026-03-14", "-05:00", "08:00", "20:00"],
    ["la-closed", "+15045550100", "2026-03-15", "-05:00", NONE, NONE],
    ["la-closed", "+15045550100", "2026-05-25", "-05:00", NONE, NONE],
    ["va-hours", "+17035550100", "2026-03-04", "-05:00", "08:00", "21:00"],
    ["al-hours", "+12055550100", "2026-03-14", "-05:00", "08:00", "20:00"],
    ["al-closed", "+12055550100", "2026-03-15", "-05:00", NONE, NONE],
    ["al-closed", "+12055550100", "2026-07-03", "-05:00", NONE, NONE],
    ["ms-hours", "+16015550100", "2026-05-25", "-05:00", "08:00", "20:00"],
    ["ms-closed", "+16015550100", "2026-03-15", "-05:00", NONE, NONE],
    ["ky-hours", "+15025550100", "2026-03-04", "-05:00", "10:00", "21:00"],
    ["nv-hours", "+17025550100", "2026-03-04", "-08:00", "09:00", "20:00"],
    ["ri-hours", "+14015550100", "2026-03-15", "-04:00", "08:00", "21:00"],
    ["ri-closed", "+14015550100", "2026-08-10", "-04:00", NONE, NONE],
    ["ut-hours", "+18015550100", "2026-03-15", "-06:00", "08:00", "21:00"],
    ["ut-closed", "+18015550100", "2026-07-24", "-06:00", NONE, NONE],
    ["pa-hours", "+12155550100", "2026-03-14", "-04:00", "08:00", "21:00"],
    ["pa-closed", "+12155550100", "2026-03-15", "-04:00", NONE, NONE],
    ["pa-closed", "+12155550100", "2026-11-26", "-05:00", NONE, NONE],
    ["me-automated-hours", "+12075550100", "2026-03-04", "-05:00", "09:00", "17:00"],
    ["me-automated-closed", "+12075550100", "2026-03-14", "-04:00", NONE, NONE],
    // Days that clocks are moved on
    ["us-hours", "+12125550100", "2026-03-08", "-04:00", "08:00", "21:00"],
    ["us-hours", "+12125550100", "2026-11-01", "-05:00", "08:00", "21:00"],
    ["us-hours", "+16025550100", "2026-03-08", "-07:00", "08:00", "21:00"],
  ])("%s: %s on %s", (rule, number, day, offset, opens, closes) => {
    const at = (time: string) => Date.parse(`${day}T${time}${offset}`);
    if (opens === null || closes === null) {
      for (const time of ["00:00:00", "08:00:00", "12:00:00", "20:59:59", "23:59:59"]) {
        const verdict = ask(number, `${day}T${time}${offset}`);
        expect(verdict).toMatchObject({ allowed: false, reason: "outside_window" });
        expect(verdict.next_allowed_at).toBeGreaterThan(at("23:59:59"));
      }
      expect(ask(number, `${day}T12:00:00${offset}`).rule_id).toBe(rule);
      return;
    }
    const open = Date.parse(`${day}T${opens}${offset}`);
    const close = Date.parse(`${day}T${closes}${offset}`);
    const zones = [{ local_time: `${day}T${opens}:00` }];
    expect(decide(question({ number, at: open - 1_000 }))).toMatchObject({
      ...{ allowed: false, reason: "outside_window", next_allowed_at: open },
    });
    expect(decide(question({ number, at: open }))).toMatchObject({
      ...{ allowed: true, reason: null, next_allowed_at: null, zones },
    });
    expect(decide(question({ number, at: (open + close) / 2 }))).toMatchObject({ allowed: true });
    expect(decide(question({ number, at: close - 1_000 })).allowed).toBe(true);
    expect(decide(question({ number, at: close }))).toMatchObject({
      allowed: false,
      reason: "outside_window",
    });
    // Where the state's rule says what the federal one says, that one is named.
    const { rule_id } = decide(question({ number, at: open }));
    expect([rule, "us-hours"]).toContain(rule_id);
    if (opens !== "08:00" || closes !== "21:00") expect(rule_id).toBe(rule);
  });

  it("lets Maine be called by people till 21:00", () => {
    const byPeople = question({ number: "+12075550100", at: Date.parse("2026-03-14T20:00:00-04:00") });
    byPeople.campaign.automated = false;
    expect(decide(byPeople).allowed).toBe(true);
  });

  it("asks a lead's own state too, and all of them must allow it", () => {
    const lead = { timezone: null, consented: true, state: "tx" };
    const verdict = ask("+12125550100", "2026-03-15T11:59:59-04:00", { lead });
    expect(verdict).toMatchObject({ allowed: false, rule_id: "tx-sunday", states: ["NY", "TX"] });
    expect(iso(verdict.next_allowed_at)).toBe("2026-03-15T16:00:00.000Z");
  });

  it.each(["850", "448", "270", "364"])("asks every zone of %s and its overlays", (code) => {
    const number = `+1${code}5550100`;
    const verdict = ask(number, "2026-03-04T08:30:00-05:00");
    expect(verdict).toMatchObject({ allowed: false, reason: "outside_window" });
    expect([...verdict.zones].sort((one, two) => (one.timezone < two.timezone ? -1 : 1))).toEqual([
      { timezone: "America/Chicago", local_time: "2026-03-04T07:30:00" },
      { timezone: "America/New_York", local_time: "2026-03-04T08:30:00" },
    ]);
    const opens = code === "850" || code === "448" ? "2026-03-04T14:00:00.000Z" : "2026-03-04T16:00:00.000Z";
    expect(iso(verdict.next_allowed_at)).toBe(opens);
  });

  it("takes a lead's zone instead of the number's, if there is such a zone", () => {
    const lead = { state: null, consented: true };
    const inZone = (timezone: string) =>
      ask("+18505550100", "2026-03-04T08:30:00-05:00", { lead: { ...lead, timezone } });
    expect(inZone("America/New_York").zones).toHaveLength(1);
    expect(inZone("America/New_York").allowed).toBe(true);
    expect(inZone("Mars/Olympus_Mons").zones).toHaveLength(2);
    const tollFree = ask("+18005550100", "2026-03-04T12:00:00-05:00", {
      lead: { ...lead, timezone: "America/New_York" },
    });
    expect(tollFree).toMatchObject({ allowed: true, rule_id: "us-hours" });
  });

  it("narrows by the campaign, and never widens", () => {
    const campaign = { start: "06:00", end: "10:00", days: ["wed"] as const };
    const verdict = (local: string) => ask("+12125550100", local, { campaign });
    expect(verdict("2026-03-04T07:59:59-05:00")).toMatchObject({ allowed: false, rule_id: "us-hours" });
    expect(verdict("2026-03-04T08:00:00-05:00")).toMatchObject({ allowed: true, rule_id: "campaign-hours" });
    expect(verdict("2026-03-04T10:00:00-05:00")).toMatchObject({ allowed: false, rule_id: "campaign-hours" });
    expect(iso(verdict("2026-03-04T10:00:00-05:00").next_allowed_at)).toBe("2026-03-11T12:00:00.000Z");
    const sundays = ask("+15045550100", "2026-03-04T10:00:00-05:00", { campaign: { days: ["sun"] } });
    expect(sundays).toMatchObject({ allowed: false, reason: "outside_window", next_allowed_at: null });
    for (const hours of [{ start: "25:00" }, { start: "21:00" }, { start: "12:00", end: "11:00" }]) {
      const never = ask("+12125550100", "2026-03-04T10:00:00-05:00", { campaign: hours });
      expect(never, JSON.stringify(hours)).toMatchObject({ reason: "outside_window", next_allowed_at: null });
    }
  });

  it("opens after a long weekend when the holiday is over", () => {
    // Friday 2027-12-24 is Christmas observed, then a weekend that has Sunday.
    const verdict = ask("+15045550100", "2027-12-23T20:00:00-06:00");
    expect(iso(verdict.next_allowed_at)).toBe("2027-12-27T14:00:00.000Z");
  });
});

describe("reasons", () => {
  const NOON = "2026-03-04T12:00:00-05:00";
  const now = Date.parse(NOON);
  const last = (...hoursAgo: number[]) => hoursAgo.map((hours) => now - hours * HOUR);

  it("come in one order", () => {
    const all = question({ at: Date.parse("2026-03-04T22:00:00-05:00"), lead: { consented: false } });
    Object.assign(all.campaign, { requireConsent: true, attempts: 4 });
    const { at } = all;
    Object.assign(all.state, {
      ...{ onDnc: true, optedOut: true, voiceSuspended: true, hasCallerId: false, canAfford: false },
      ...{ inFlight: true, retryAt: at + 1, recentAttempts: [at, at, at] },
    });
    all.number = "+18005550100";
    const mend: [string, () => void][] = [
      ["dnc", () => (all.state.onDnc = false)],
      ["opted_out", () => (all.state.optedOut = false)],
      ["no_consent", () => (all.lead.consented = true)],
      ["attempts_exhausted", () => (all.campaign.attempts = 3)],
      ["timezone_unknown", () => (all.number = "+12125550100")],
      ["voice_suspended", () => (all.state.voiceSuspended = false)],
      ["no_caller_id", () => (all.state.hasCallerId = true)],
      ["insufficient_balance", () => (all.state.canAfford = true)],
      ["number_in_flight", () => (all.state.inFlight = false)],
      ["retry_not_due", () => (all.state.retryAt = null)],
      ["frequency_cap", () => (all.state.recentAttempts = [])],
      ["outside_window", () => (all.at = now)],
    ];
    for (const [reason, next] of mend) {
      const verdict = decide(all);
      expect(verdict).toMatchObject({ allowed: false, reason, rule_version: 1 });
      expect(verdict.citation).not.toBe("");
      const waits = ["number_in_flight", "retry_not_due", "frequency_cap", "outside_window"].includes(reason);
      expect(verdict.next_allowed_at !== null, reason).toBe(waits);
      next();
    }
    expect(decide(all).allowed).toBe(true);
  });

  it.each(["+18005550100", "+19995550100", "+1415", "", "abc", "+99912345678", "\u0000"])(
    "%j has no time zone",
    (number) => {
      expect(ask(number, NOON)).toMatchObject({
        reason: "timezone_unknown",
        zones: [],
        next_allowed_at: null,
      });
    },
  );

  it("waits for the third last of 24 hours' attempts", () => {
    const cap = (recentAttempts: number[], dailyCap: number | null = null) =>
      ask("+12125550100", NOON, { state: { recentAttempts, dailyCap } });
    expect(cap(last(1, 2)).allowed).toBe(true);
    expect(cap(last(1, 2, 24)).allowed).toBe(true);
    expect(cap(last(1, 23, 2))).toMatchObject({
      ...{ reason: "frequency_cap", rule_id: "product-frequency-cap", next_allowed_at: now + HOUR },
    });
    expect(cap(last(3, 2, 1, 20)).next_allowed_at).toBe(Date.parse("2026-03-05T09:00:00-05:00"));
    expect(cap(last(2), 1)).toMatchObject({
      ...{ rule_id: "organization-frequency-cap", next_allowed_at: now + 22 * HOUR },
    });
    expect(cap(last(1, 2), 9).allowed).toBe(true);
    expect(cap(last(1, 2, 3), 9).reason).toBe("frequency_cap");
    expect(cap([], 0)).toMatchObject({ reason: "frequency_cap", next_allowed_at: null });
    expect(ask("+13055550100", NOON, { state: { recentAttempts: last(1, 2, 3) } }).rule_id).toBe("fl-hours");
  });

  it("waits for retries and calls under way, and then for the hours", () => {
    const inTheEvening = { retryAt: Date.parse("2026-03-04T21:30:00-05:00") };
    expect(ask("+12125550100", NOON, { state: inTheEvening })).toMatchObject({
      ...{ reason: "retry_not_due", next_allowed_at: Date.parse("2026-03-05T08:00:00-05:00") },
    });
    expect(ask("+12125550100", NOON, { state: { retryAt: now } }).allowed).toBe(true);
    expect(ask("+12125550100", NOON, { state: { inFlight: true } }).next_allowed_at).toBe(now + 60_000);
    const inFlight = { inFlight: true, inFlightUntil: now + HOUR };
    expect(ask("+12125550100", NOON, { state: inFlight }).next_allowed_at).toBe(now + HOUR);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e18, 9e15, Date.UTC(1900, 0)])("are found at %j", (at) => {
    expect(decide(question({ at }))).toMatchObject({
      reason: "outside_window",
      zones: [],
      next_allowed_at: null,
    });
  });
});

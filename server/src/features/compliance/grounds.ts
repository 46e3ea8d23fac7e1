/** What a verdict cites: a row of the rule table is one as well. */
export interface Ground {
  id: string;
  version: number;
  citation: string;
}

const REVOCATION = "47 CFR 64.1200(a)(10)";
const OWN = "This product's own rule";

/** What refuses a call beside the rows of the rule table. */
export const GROUNDS = {
  dnc: ground("do-not-call-list", `The organization's do-not-call list; ${REVOCATION}`),
  opted_out: ground("opt-out", REVOCATION),
  no_consent: ground("consent-required", "FCC 24-17, as the campaign requires"),
  attempts_exhausted: ground("max-attempts", "The campaign's own number of attempts"),
  timezone_unknown: ground("timezone-known", "47 CFR 64.1200(c)(1): hours are the called party's"),
  voice_suspended: ground("voice-enabled", OWN),
  no_caller_id: ground("caller-id", OWN),
  insufficient_balance: ground("wallet", OWN),
  number_in_flight: ground("one-attempt-at-a-time", OWN),
  retry_not_due: ground("retry-schedule", OWN),
  own_cap: ground("organization-frequency-cap", "The organization's own cap"),
  campaign_hours: ground("campaign-hours", "The campaign's own hours and days"),
  outside_time: ground("known-instant", OWN),
} as const;

function ground(id: string, citation: string): Ground {
  return { id, version: 1, citation };
}

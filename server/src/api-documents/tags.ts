/** The headings of the public document, in its order. */
export const publicTags = {
  "Meta and account": "What this API is, and the organization behind a key.",
  Leads:
    "People you may call or text, one per phone number and organization. A second lead with a known number updates the first.",
  Campaigns: "Campaigns dial their leads. Through the API they can be read, started and stopped.",
  Agents: "Voice agents: reusable templates of a call.",
  Calls: "Phone calls and browser calls, their transcripts and recordings.",
  Voices: "The voices that agents speak with.",
  Appointments: "Appointments that agents or people have booked.",
  Webhooks:
    "Subscriptions that receive signed events. What a subscriber's endpoint receives is described under the webhooks of this document.",
  Carriers:
    "Where carriers send the texts that people write, and tell of calls. Not for clients: the carrier signs what it sends.",
  "Contacts and deals":
    "Not available yet: every call answers `501 feature_unavailable`, and the shapes are drafts.",
  Reference: "This document, the guide and the reference page. No authentication.",
};

/** The headings of the private document, in its order. */
export const privateTags = {
  Organizations: "Create, read and change organizations.",
  Members: "The people of an organization and their roles.",
  Keys: "API keys: made, listed, rotated and revoked. A key's text is shown once.",
  Audit: "Who did what, and when.",
  Wallet: "Balance, ledger and credits, in tokens.",
  "Do not call": "Numbers that the organization must never call.",
  Compliance: "Whether a number may be called, when, and by which rule.",
  "Opt-outs": "Wishes not to be called again: what the rules make of words, and the texts that people sent.",
  Trunks: "SIP servers that carry calls: an organization's own, and those that all organizations share.",
  Numbers: "The numbers that the organization calls from and is called on.",
  Agents: "Voice agents: those of the API, and those managed in the app, which are made here.",
  Appointments: "Appointments of any source; those booked here have the source `app`.",
  Campaigns: "Create and steer campaigns.",
  Calls: "Calls as operators see them: live ones, transcripts, money, hanging up.",
  Imports: "CSV import jobs with their row errors and warnings.",
  Webhooks: "Subscriptions, a test ping, and the replay of dead letters.",
  Deliveries: "The webhook delivery log with every attempt, and replays.",
  Reference: "This document.",
  Health: "For load balancers and supervisors: no token.",
};

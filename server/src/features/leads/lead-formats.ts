import type { Formats } from "../../http/validation.ts";
import { parseIsoDateTime } from "../../iso-date-time.ts";
import { canonicalPhoneNumber, normaliseEmail } from "./parsing/index.ts";

const instant = {
  test: (text: string) => parseIsoDateTime(text) !== null,
  words: "an ISO 8601 date or date-time, such as 2026-01-05 or 2026-01-05T14:00:00Z",
};

/** The string formats that schemas name, each read by the same code that later stores the value. */
export const leadFormats: Formats = {
  "phone-number": {
    test: (text) => canonicalPhoneNumber(text) !== null,
    words: "a phone number of 10 to 15 digits, such as +14155550100",
  },
  "email-address": { test: (text) => normaliseEmail(text) !== null, words: "an e-mail address" },
  "iso-instant": instant,
  "date-time": instant,
};

import type { Formats } from "../../http/validation.ts";
import { canonicalPhoneNumber, normaliseEmail, parseIsoDateTime } from "./parsing/index.ts";

/** The string formats that schemas name, each read by the same code that later stores the value. */
export const leadFormats: Formats = {
  "phone-number": (text) => canonicalPhoneNumber(text) !== null,
  "email-address": (text) => normaliseEmail(text) !== null,
  "iso-instant": (text) => parseIsoDateTime(text) !== null,
  "date-time": (text) => parseIsoDateTime(text) !== null,
};

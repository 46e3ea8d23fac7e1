import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { unansweredEndings } from "../../session/outcomes.ts";
import { ANSWER_CODES } from "../sip/answer-codes.ts";
import { endCauseOf, HANGUP_CAUSES } from "./hangup-causes.ts";

const ended = (cause: string, sipCause = "unspecified", source = "unknown", wasAnswered = false) =>
  endCauseOf({ cause, sipCause, source }, wasAnswered);

it("means what the manual says", async () => {
  const manual = await readFile(new URL("../../../../../docs/voice.md", import.meta.url), "utf8");
  const table = manual.slice(manual.indexOf("## Connect Telnyx")).split("\n## ")[0]!;
  const told: Record<string, string> = {};
  for (const [, causes = "", status, outcome] of table.matchAll(
    /^\| ([`\w, ]+) \| `([\w-]+)` \| `(\w+)` \|$/gm,
  ))
    for (const [, cause] of causes.matchAll(/`(\w+)`/g)) told[cause!] = `${status} ${outcome}`;
  const meant = Object.entries(HANGUP_CAUSES).map(([cause, means]) => {
    const { status, outcome } = unansweredEndings[means];
    return [cause, `${status} ${outcome}`];
  });
  expect(told).toEqual(Object.fromEntries(meant));
});

it("is read from the SIP code first, by the table of the trunks", () => {
  for (const [code, cause] of Object.entries(ANSWER_CODES)) {
    expect(ended("call_rejected", code)).toBe(cause);
    expect(ended("unspecified", code)).toBe(cause);
  }
});

it.each([
  ["timeout", "487", "no_answer"],
  ["originator_cancel", "487", "canceled"],
  ["call_rejected", "unspecified", "declined"],
  ["user_busy", "16", "busy"],
  ["normal_clearing", "200", "remote_hangup"],
  ["unspecified", "500", "failed"],
  ["unspecified", "unspecified", "failed"],
  ["something_new", "999", "failed"],
  ["", "", "failed"],
  ["constructor", "", "failed"],
])("%s with %s is %s before the answer", (cause, sipCause, expected) => {
  expect(ended(cause, sipCause)).toBe(expected);
});

it.each([
  ["normal_clearing", "unknown", "remote_hangup"],
  ["unspecified", "callee", "remote_hangup"],
  ["originator_cancel", "caller", "remote_hangup"],
  ["time_limit", "caller", "failed"],
  ["unspecified", "unknown", "failed"],
  ["timeout", "unknown", "failed"],
])("%s by %s is %s after it", (cause, source, expected) => {
  expect(ended(cause, "486", source, true)).toBe(expected);
});

import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { unansweredEndings } from "../../session/outcomes.ts";
import { ANSWER_CODES, causeOf, isTrunksFault } from "./answer-codes.ts";

it("means what the manual says", async () => {
  const manual = await readFile(new URL("../../../../../docs/voice.md", import.meta.url), "utf8");
  const told = new Map<number, string>();
  for (const [, codes = "", status, outcome] of manual.matchAll(
    /^\| ([\d, ]+?)(?:, ring time over)? \| `([\w-]+)` \| `(\w+)` \|$/gm,
  )) {
    for (const code of codes.split(",")) told.set(Number(code), `${status} ${outcome}`);
  }
  expect([...told.keys()].sort()).toEqual(Object.keys(ANSWER_CODES).map(Number));
  for (const [code, means] of told) {
    const ending = unansweredEndings[causeOf(code)];
    expect(`${code} ${ending.status} ${ending.outcome}`).toBe(`${code} ${means}`);
  }
  for (const status of [null, 400, 401, 405, 488, 500, 504, 606, 699]) expect(causeOf(status)).toBe("failed");
});

it("is the trunk's own fault for 408, 5xx and silence", () => {
  expect([null, 408, 500, 503, 599].every(isTrunksFault)).toBe(true);
  expect([400, 403, 404, 480, 486, 600, 603].some(isTrunksFault)).toBe(false);
});

import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { callingRules } from "./calling-rules.ts";

it("docs/compliance.md names every calling rule as it is", async () => {
  const page = await readFile(new URL("../../../../docs/compliance.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `[a-z-]+` \| \d+ \|/.test(line));
  const documented = rows.map((line) => {
    const [id, version, where, , hours, cap, citation, confidence] = line.split(" | ");
    return [id!.replace(/[|` ]/g, ""), version, where!.split(",")[0], hours, cap, citation, confidence![0]];
  });
  expect(documented).toEqual(
    callingRules.map(({ id, version, jurisdiction, start, end, cap, citation, confidence }) => {
      const isAny = start === "00:00" && end === "24:00";
      const hours = start === null ? "no calls" : isAny ? "any" : `${start}–${end}`;
      return [id, String(version), jurisdiction, hours, String(cap ?? "–"), citation, confidence];
    }),
  );
});

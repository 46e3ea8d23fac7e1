import { describe, expect, it } from "vitest";
import { type Breach, type CampaignTerms, createChecker, type Ending, type Party } from "./checker.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const number = "+12125550100";
const newYorker: Party = {
  ...{ number, country: "US", states: ["NY"], zones: ["America/New_York"], consented: true },
};
const terms: CampaignTerms = {
  maxAttempts: 4,
  retry: { busy: 30, no_answer: 120, voicemail: 1_440, network_failure: 5 },
  ...{ window: null, days: null, requireConsent: true },
};

/** One call: hours since Wednesday, March 4, 2026, 9:00 in New York; it lasts a minute. */
type Step = [hours: number, ending: Ending, callbackHours?: number] | [hours: number, "refused"];
const NINE = Date.UTC(2026, 2, 4, 14);

function breachesOf(steps: readonly Step[], party: Partial<Party> = {}, other: Partial<CampaignTerms> = {}) {
  const checker = createChecker([{ ...newYorker, ...party }], { ...terms, ...other });
  for (const [hours, ending, callbackHours] of steps) {
    const at = NINE + hours * HOUR;
    if (ending === "refused") {
      checker.refused(number, at);
      continue;
    }
    checker.dialed(number, at);
    checker.ended(
      number,
      at + MINUTE,
      ending,
      callbackHours === undefined ? null : NINE + callbackHours * HOUR,
    );
  }
  return checker.violations().map(({ breach }) => breach);
}

/** A month of one lead's calls that nothing is wrong with. */
const lawful: Step[] = [
  [0, "busy"],
  [1, "network_failure"],
  [4, "no_answer"],
  [25.1, "voicemail"],
];

describe("what was dialed", () => {
  it("is right when every rule is kept", () => {
    expect(breachesOf(lawful)).toEqual([]);
    expect(
      breachesOf([
        [0, "person", 3],
        [3, "person"],
      ]),
    ).toEqual([]);
    expect(breachesOf([...lawful, [50, "refused"]])).toEqual([]);
  });

  /** Each is a history that was right, with one thing changed. */
  const mutations: [
    what: string,
    breach: Breach,
    steps: Step[],
    party?: Partial<Party>,
    other?: Partial<CampaignTerms>,
  ][] = [
    ["the last attempt moved to 21:00", "hours", [...lawful.slice(0, 3), [36, "voicemail"]]],
    ["the first attempt moved to 7:59", "hours", [[-1 - 1 / 60, "busy"], ...lawful.slice(1)]],
    [
      "a zone an hour behind, at 9:00 in the first",
      "hours",
      [[-0.5, "busy"]],
      { zones: ["America/New_York", "America/Chicago"] },
    ],
    ["a state that begins at 9", "hours", [[-0.5, "busy"]], { states: ["CT"] }],
    ["a state without Sundays", "hours", [[4 * 24 - 1, "busy"]], { states: ["PA"] }],
    ["no place", "no_place", [[0, "busy"]], { zones: [] }],
    ["a lead without consent", "no_consent", [[0, "busy"]], { consented: false }],
    [
      "a window of the campaign's own",
      "campaign_hours",
      [[0, "busy"]],
      {},
      { window: { from: 600, to: 1_020 } },
    ],
    ["no Wednesdays", "campaign_days", [[0, "busy"]], {}, { days: [1, 2] }],
    ["a fourth attempt within 24 hours", "cap", [...lawful.slice(0, 3), [6.1, "busy"]]],
    ["a fifth attempt", "max_attempts", [...lawful, [49.2, "busy"]]],
    [
      "a retry 29 minutes after a busy line",
      "too_early",
      [
        [0, "busy"],
        [30 / 60, "busy"],
      ],
    ],
    [
      "a retry an hour after no answer",
      "too_early",
      [
        [0, "no_answer"],
        [1, "busy"],
      ],
    ],
    [
      "a retry the same day after a machine",
      "too_early",
      [
        [0, "voicemail"],
        [10, "busy"],
      ],
    ],
    [
      "a callback before its time",
      "too_early",
      [
        [0, "person", 3],
        [2.9, "person"],
      ],
    ],
    [
      "one more call to somebody who answered",
      "reached_before",
      [
        [0, "person"],
        [24, "busy"],
      ],
    ],
    [
      "one more call to somebody nobody was there for",
      "reached_before",
      [
        [0, "abandoned"],
        [24, "busy"],
      ],
    ],
    [
      "one more call to a number that isn't one",
      "reached_before",
      [
        [0, "dead"],
        [24, "busy"],
      ],
    ],
    [
      "a third try of a network that fails",
      "reached_before",
      [
        [0, "network_failure"],
        [1, "network_failure"],
        [2, "busy"],
      ],
    ],
    [
      "one more call after an opt-out",
      "refused_before",
      [
        [0, "busy"],
        [0.1, "refused"],
        [2, "busy"],
      ],
    ],
  ];
  it.each(mutations)("is wrong with %s", (_, breach, steps, party, other) => {
    expect(breachesOf(steps, party, other)).toContain(breach);
  });

  it("is wrong when two calls ring at once, the campaign stands still, or nobody knows the number", () => {
    const checker = createChecker([newYorker], terms);
    checker.dialed(number, NINE);
    checker.dialed(number, NINE);
    checker.active(false);
    checker.dialed("+13105550100", NINE);
    checker.ended(number, NINE, "person");
    checker.ended(number, NINE, "person");
    expect(checker.violations().map(({ breach }) => breach)).toEqual([
      "two_at_once",
      "unknown_party",
      "ended_twice",
    ]);
    const stopped = createChecker([newYorker], terms);
    stopped.active(false);
    stopped.dialed(number, NINE);
    expect(stopped.violations()).toMatchObject([{ breach: "campaign_not_active" }]);
  });

  it("is wrong when more than 3 of 100 who answered found nobody there", () => {
    const parties = Array.from({ length: 200 }, (_, index) => ({
      ...newYorker,
      number: `+1212555${String(index).padStart(4, "0")}`,
    }));
    const withAbandoned = (abandoned: number) => {
      const checker = createChecker(parties, terms);
      parties.forEach((party, index) => {
        checker.dialed(party.number, NINE);
        checker.ended(party.number, NINE + MINUTE, index < abandoned ? "abandoned" : "person");
      });
      return checker.violations();
    };
    expect(withAbandoned(6)).toEqual([]);
    expect(withAbandoned(7)).toMatchObject([{ breach: "abandonment", detail: "7 of 200 answers" }]);
  });
});

describe("holidays", () => {
  const inLouisiana = { states: ["LA"], zones: ["America/Chicago"] };
  const onDate = (month: number, day: number, party: Partial<Party>, year = 2026) =>
    breachesOf([[(Date.UTC(year, month - 1, day, 18) - NINE) / HOUR, "busy"]], party);
  it.each([
    ["King's day", 1, 19, 2026],
    ["memorial day", 5, 25, 2026],
    ["Juneteenth", 6, 19, 2026],
    ["the Friday before a Saturday's Fourth of July", 7, 3, 2026],
    ["the Monday after a Sunday's Fourth of July", 7, 5, 2027],
    ["labor day", 9, 7, 2026],
    ["Thanksgiving", 11, 26, 2026],
    ["the day after", 11, 27, 2026],
    ["New Year's eve before a Saturday", 12, 31, 2027],
    ["Mardi Gras", 2, 17, 2026],
    ["Good Friday", 4, 3, 2026],
  ])("%s", (_, month, day, year) => {
    expect(onDate(month, day, inLouisiana, year)).toEqual(["hours"]);
    expect(onDate(month, day, {}, year)).toEqual([]);
  });
  it("no other day", () => {
    for (const [month, day] of [
      [1, 12],
      [5, 18],
      [9, 14],
      [11, 19],
      [11, 25],
      [7, 7],
    ] as const)
      expect(onDate(month, day, inLouisiana)).toEqual([]);
  });
});

it("reads clocks that are moved", () => {
  // On March 8, 2026, 8:00 in New York is an hour earlier in UTC than the day before.
  const at = (day: number, hour: number) => (Date.UTC(2026, 2, day, hour) - NINE) / HOUR;
  expect(breachesOf([[at(7, 12), "busy"]])).toEqual(["hours"]);
  expect(breachesOf([[at(7, 13), "busy"]])).toEqual([]);
  expect(breachesOf([[at(8, 12), "busy"]])).toEqual([]);
  expect(breachesOf([[at(9, 0), "busy"]])).toEqual([]);
  expect(breachesOf([[at(9, 1), "busy"]])).toEqual(["hours"]);
});

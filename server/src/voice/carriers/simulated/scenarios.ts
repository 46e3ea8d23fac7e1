import type { CarrierRefusalCode, EndCause } from "../carrier.ts";

/**
 * What happens on the simulated carrier's numbers, as data. The last seven digits of the destination choose it, whatever
 * the area code; any other number behaves as 555-0100.
 */
export type Scenario =
  /** The carrier doesn't take the call. */
  | { refusal: CarrierRefusalCode; outcome: "failed" | "blocked"; message: string }
  /** It rings, or not, and ends without an answer. */
  | { ringsMs: number; ends: EndCause }
  /** Somebody, or something, answers and follows a script. */
  | { ringsMs: number; voice: string; script: readonly Step[] };

/** What the far side does, one after the other. At the end of its script it hangs up. */
export type Step =
  | { say: string }
  /** Waits until the agent has spoken and then been silent for a moment, but no longer than this for it to begin. */
  | { hearAgentWithinMs: number }
  | { waitMs: number }
  /** The tone of an answering machine. */
  | { beepMs: number }
  /** Answers whatever the agent says with this, until the other side hangs up. */
  | { keepSaying: string; everyMs: number };

const RINGS_MS = 600;
const PATIENCE_MS = 8_000;
const listen: Step = { hearAgentWithinMs: PATIENCE_MS };
const hello: readonly Step[] = [{ waitMs: 200 }, { say: "Hello?" }, listen];

const person = (voice: string, ...script: Step[]): Scenario => ({
  ringsMs: RINGS_MS,
  voice,
  script: [...hello, ...script],
});

const talksALittle = person(
  "angus",
  { say: "Yes, this is a good moment. What is it about?" },
  listen,
  { say: "All right, thank you for calling. Goodbye." },
  { waitMs: 300 },
);

export const scenarios: Readonly<Record<string, Scenario>> = {
  "5550100": talksALittle,
  "5550101": { ringsMs: 300, ends: "busy" },
  // The contract promises the end within five seconds here, sooner than a real phone would be given.
  "5550102": { ringsMs: 3_500, ends: "no_answer" },
  "5550103": { ringsMs: 300, ends: "failed" },
  "5550104": {
    ringsMs: RINGS_MS,
    voice: "marcus",
    script: [
      { waitMs: 300 },
      {
        say: "Hello, you have reached our voice mail. We cannot take your call right now. Please leave your name, your number and a short message after the tone, and we will call you back.",
      },
      { waitMs: 400 },
      { beepMs: 500 },
      { hearAgentWithinMs: PATIENCE_MS },
      { waitMs: 1_000 },
    ],
  },
  "5550105": { ringsMs: 200, ends: "congestion" },
  "5550106": {
    refusal: "voice_carrier_blocked",
    outcome: "blocked",
    message: "The carrier blocks calls to this number.",
  },
  "5550107": person(
    "angus",
    { say: "Please never call me again. Take me off your list." },
    { hearAgentWithinMs: PATIENCE_MS },
    { waitMs: 4_000 },
  ),
  "5550108": person(
    "angus",
    { say: "Yes, gladly. Tomorrow at ten in the morning works for me." },
    listen,
    { say: "Perfect, thank you. Goodbye." },
    { waitMs: 300 },
  ),
  "5550109": person(
    "angus",
    { say: "I would like to talk to a human, please." },
    listen,
    { waitMs: 20_000 },
    { say: "Thank you for your help. Goodbye." },
    { waitMs: 300 },
  ),
  "5550110": person("angus", { keepSaying: "Please go on, I am listening.", everyMs: 6_000 }),
  "5550111": {
    refusal: "carrier_dial_failed",
    outcome: "failed",
    message: "The carrier could not place the call.",
  },
};

/** @param to E.164 */
export function scenarioOf(to: string): Scenario {
  return scenarios[to.slice(-7)] ?? talksALittle;
}

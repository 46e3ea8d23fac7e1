import { steerCampaign } from "../features/campaigns/index.ts";
import { addDncEntry } from "../features/dnc/index.ts";
import type { Checker } from "./checker/checker.ts";
import type { Person } from "./people/make-people.ts";
import { chanceFrom } from "./seeded-random.ts";
import type { World } from "./world.ts";

const ACTOR = "simulation";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of all numbers, each day. */
const SHARE_LISTED = 0.0003;
const STOPPED_MS = HOUR / 3;

export interface Operator {
  /** Does what has come due on the clock since the last time. */
  act(): Promise<void>;
}

/**
 * Somebody who looks after the campaign: every day they list some numbers, and stop the campaign for a while.
 * @param options `from`: when the first day begins
 */
export function createOperator(
  world: World,
  options: { people: readonly Person[]; seed: number; from: number; days: number; checker: Checker },
): Operator {
  const { clock, database, newId, organizationId, campaignId } = world;
  const deps = { clock, database, newId, campaignsChanged() {} };
  const { people, checker } = options;
  const due: (() => Promise<void>)[] = [];
  const at = (instant: number, act: () => Promise<void>) => clock.schedule(instant, () => due.push(act));

  const steer = async (trigger: "pause" | "resume") => {
    const { changed } = await steerCampaign(deps, { organizationId, id: campaignId, trigger, actor: ACTOR });
    if (changed) checker.active(trigger === "resume");
  };
  const list = async ({ phoneNumber }: Person) => {
    await addDncEntry(deps, { organizationId, actor: ACTOR, phoneNumber });
    checker.refused(phoneNumber, clock.now());
  };
  for (let day = 0; day < options.days; day++) {
    const chance = chanceFrom(options.seed, "operator", day);
    const begin = options.from + day * DAY;
    const stop = begin + chance.between(6 * 60, 12 * 60) * 60_000;
    at(stop, () => steer("pause"));
    at(stop + STOPPED_MS, () => steer("resume"));
    for (let count = Math.ceil(people.length * SHARE_LISTED); count > 0; count--) {
      const person = chance.one(people);
      at(begin + chance.between(0, DAY - 1), () => list(person));
    }
  }
  return {
    async act() {
      for (const act of due.splice(0)) await act();
    },
  };
}

import type { Abandonment } from "../server/src/features/dialing/pacing/abandonment.ts";
import type { RecentLines } from "../server/src/features/dialing/pacing/adapt-dial-level.ts";
import type { CampaignLines } from "../server/src/features/dialing/pacing/lines-to-dial.ts";

/** What a campaign's calls are like. Times are seconds. */
export interface World {
  seats: number;
  days: number;
  /** The share of lines that people answer, machines answer and that are busy, at an hour of the day; nobody answers the others. */
  rates(hour: number): { people: number; machines: number; busy: number };
  /** Mean and spread of a talk: lognormal. */
  talk: { mean: number; sigma: number };
  seed: number;
}

/** What a policy sees at a look: counts, as a dialer has them. */
export interface Look {
  /** Seconds since the start. */
  at: number;
  seats: number;
  lines: CampaignLines;
  abandonment: Abandonment;
  /** Lines dialed in the last 30 minutes that are over, or that a person talks in. */
  recent(): RecentLines & { answerMs: number | null; talkMs: number | null };
}

/** How many lines to dial now. Made anew for each run: it may remember. */
export type Policy = (look: Look) => number;

export interface Outcome {
  /** Share of the seats' time in which somebody talked. */
  utilization: number;
  /** Share of the people who answered. */
  abandoned: number;
  /** The highest that share came to be, from the first abandoned one on. */
  worstAbandoned: number;
  answered: number;
  byHour: { hour: number; utilization: number; abandoned: number }[];
}

const OPENS = 9;
const CLOSES = 21;
const RECENT = 1_800;
const LOOK_EVERY = 1;
const NO_ANSWER = 30;
const BUSY = 3;
const MACHINE_TALKS = 5;
const SCREENED = 1.8;
/** So long a line is taken by the message to an abandoned person. */
const MESSAGE = 9;

interface Line {
  dialedAt: number;
  answeredAt: number | null;
  talk: number | null;
  over: boolean;
}

/**
 * Runs a campaign that never runs out of leads, from 9 to 21 o'clock on each day, by discrete events and a seeded generator. Lines still
 * out at closing time are forgotten, as is the time of who talks on.
 */
export function runCampaign(world: World, policy: Policy): Outcome {
  const random = generator(world.seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const talkMu = Math.log(world.talk.mean) - world.talk.sigma ** 2 / 2;
  const abandonment = { answered: 0, abandoned: 0 };
  const hours = new Map<number, { talked: number; seats: number; answered: number; abandoned: number }>();
  let talked = 0;
  let worst = 0;
  let people = 0;
  let recentLines: Line[] = [];

  for (let day = 0; day < world.days; day++) {
    const opens = (day * 24 + OPENS) * 3_600;
    const closes = (day * 24 + CLOSES) * 3_600;
    const events = heap();
    const lines = { pending: 0, talking: 0, others: 0 };
    const look = (at: number): Look => ({
      at,
      seats: world.seats,
      lines: { ...lines },
      abandonment: { ...abandonment },
      recent() {
        recentLines = recentLines.filter(({ dialedAt }) => dialedAt > at - RECENT);
        const known = recentLines.filter(({ over, answeredAt }) => over || answeredAt !== null);
        const answered = known.filter(({ answeredAt }) => answeredAt !== null);
        const talks = known.filter(({ talk, over }) => talk !== null && over);
        return {
          dialed: known.length,
          people: answered.length,
          answerMs: mean(answered.map((line) => 1_000 * (line.answeredAt! - line.dialedAt))),
          talkMs: mean(talks.map(({ talk }) => 1_000 * talk!)),
        };
      },
    });
    const dial = (at: number) => {
      const hour = hourOf(at);
      const rates = world.rates(hour);
      const draw = random();
      const line: Line = { dialedAt: at, answeredAt: null, talk: null, over: false };
      recentLines.push(line);
      lines.pending++;
      const over = (when: number, what: () => void) =>
        events.push(when, () => {
          line.over = true;
          what();
        });
      if (draw < rates.people) {
        // Rings between 3 and 25 s, most answer at the third ring.
        const rings = 3 + 22 * random() ** 1.3;
        events.push(at + rings + SCREENED, (now) => answeredBy(line, now, over));
      } else if (draw < rates.people + rates.machines) {
        const rings = 14 + 10 * random();

        events.push(at + rings + 4, () => {
          lines.pending--;
          lines.others++;
        });
        over(at + rings + 4 + MACHINE_TALKS, () => lines.others--);
      } else {
        const busy = draw < rates.people + rates.machines + rates.busy;
        over(at + (busy ? BUSY : NO_ANSWER), () => lines.pending--);
      }
    };
    const answeredBy = (line: Line, now: number, over: (when: number, what: () => void) => void) => {
      lines.pending--;
      people++;
      line.answeredAt = now;
      const entry = hourEntry(hourOf(now));
      entry.answered++;
      if (lines.talking < world.seats) {
        lines.talking++;
        const talk = Math.exp(talkMu + world.talk.sigma * normal());
        line.talk = talk;
        over(now + talk, () => {
          lines.talking--;
          abandonment.answered++;
        });
        return;
      }
      lines.others++;
      abandonment.answered++;
      abandonment.abandoned++;
      entry.abandoned++;
      worst = Math.max(worst, abandonment.abandoned / people);
      over(now + MESSAGE, () => lines.others--);
    };
    const hourEntry = (hour: number) => {
      const whole = Math.floor(hour);
      let entry = hours.get(whole);
      if (!entry) {
        entry = { talked: 0, seats: 0, answered: 0, abandoned: 0 };
        hours.set(whole, entry);
      }
      return entry;
    };

    let last = opens;
    for (let tick = opens; tick < closes; tick += LOOK_EVERY) {
      for (let event = events.popUntil(tick); event; event = events.popUntil(tick)) {
        spend(event.at);
        event.happens(event.at);
      }
      spend(tick);
      const wanted = policy(look(tick));
      for (let line = 0; line < wanted; line++) dial(tick);
    }
    function spend(until: number) {
      const seconds = until - last;
      if (seconds <= 0) return;
      const entry = hourEntry(hourOf(last));
      entry.talked += seconds * lines.talking;
      entry.seats += seconds * world.seats;
      talked += seconds * lines.talking;
      last = until;
    }
    recentLines = [];
  }

  const seatSeconds = world.days * (CLOSES - OPENS) * 3_600 * world.seats;
  return {
    utilization: talked / seatSeconds,
    abandoned: abandonment.abandoned / people,
    worstAbandoned: worst,
    answered: people,
    byHour: [...hours]
      .sort(([a], [b]) => a - b)
      .map(([hour, entry]) => ({
        hour,
        utilization: entry.talked / entry.seats,
        abandoned: entry.abandoned / Math.max(1, entry.answered),
      })),
  };
}

const hourOf = (at: number) => (at / 3_600) % 24;
const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** mulberry32: the same numbers on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Event {
  at: number;
  happens(at: number): void;
}

/** Events in the order of their times. */
function heap() {
  const events: Event[] = [];
  const earlier = (a: number, b: number) => events[a]!.at < events[b]!.at;
  const swap = (a: number, b: number) => ([events[a], events[b]] = [events[b]!, events[a]!]);
  return {
    push(at: number, happens: Event["happens"]) {
      let index = events.push({ at, happens }) - 1;
      for (let above = (index - 1) >> 1; index > 0 && earlier(index, above); above = (index - 1) >> 1) {
        swap(index, above);
        index = above;
      }
    },
    /** The next one up to then. */
    popUntil(until: number): Event | undefined {
      const first = events[0];
      if (!first || first.at > until) return undefined;
      const last = events.pop()!;
      if (events.length > 0) {
        events[0] = last;
        for (let index = 0; ; ) {
          const left = 2 * index + 1;
          const next = left + 1 < events.length && earlier(left + 1, left) ? left + 1 : left;
          if (next >= events.length || !earlier(next, index)) break;
          swap(next, index);
          index = next;
        }
      }
      return first;
    },
  };
}

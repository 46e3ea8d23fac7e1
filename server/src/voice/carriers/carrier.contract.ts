import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FRAME_SAMPLES, type MediaLeg } from "../media/media-leg.ts";
import { type Carrier, type CarrierCall, type CarrierEvent, CarrierRefusal } from "./carrier.ts";

/** What a carrier's far side must be able to do, so that the suite can look at how the carrier tells of it. */
export interface CarrierUnderTest {
  carrier: Carrier;
  from: string;
  /** Destinations by what happens there. `talks` answers, speaks and hangs up; `stays` answers and stays. */
  to: {
    talks: string;
    stays: string;
    busy: string;
    noAnswer: string;
    fails: string;
    /** Not taken at all, where the carrier has such a thing. */
    refused?: string;
  };
  /** Lets the media run for 20 ms: by hand, or by waiting. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

const MAX_TICKS = 50 * 60;

/** Every carrier passes it: the simulated one, SIP trunks, vendors' APIs. */
export function carrierContract(name: string, open: () => Promise<CarrierUnderTest>): void {
  describe(`${name} as a carrier`, () => {
    let subject: CarrierUnderTest;
    let lastId = 0;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const dial = (to: string, ringTimeoutMs = 30_000): Promise<CarrierCall> =>
      subject.carrier.dial({
        organizationId: "organization",
        callId: `call-${++lastId}`,
        from: subject.from,
        to,
        ringTimeoutMs,
      });

    /** Follows a call; runs the media until `until` says so, speaking and listening as a session does. */
    const follow = (call: CarrierCall) => {
      const events: CarrierEvent[] = [];
      let media: MediaLeg | undefined;
      const heard = { frames: 0, loudFrames: 0 };
      const silence = new Int16Array(FRAME_SAMPLES);
      call.onEvent((event) => {
        events.push(event);
        if (event.type === "answered") media = event.media;
      });
      return {
        events,
        heard,
        types: () => events.map(({ type }) => type).filter((type) => type !== "said"),
        cause: () => events.flatMap((event) => (event.type === "ended" ? [event.cause] : []))[0],
        async until(done: () => boolean) {
          for (let tick = 0; tick < MAX_TICKS && !done(); tick++) {
            await subject.tick();
            const frame = media?.receive();
            media?.send(silence);
            if (!frame) continue;
            heard.frames++;
            if (frame.samples.some((sample) => Math.abs(sample) > 1_000)) heard.loudFrames++;
          }
          expect(done(), `happened; so far: ${events.map(({ type }) => type).join(", ")}`).toBe(true);
        },
      };
    };
    const ended = (call: ReturnType<typeof follow>) => () => call.types().includes("ended");

    it("tells of ringing, the answer and the end, in this order and once, with the far side's voice between", async () => {
      const call = follow(await dial(subject.to.talks));
      await call.until(ended(call));
      expect(call.types()).toEqual(["ringing", "answered", "ended"]);
      expect(call.cause()).toBe("remote_hangup");
      expect(call.heard.frames).toBeGreaterThan(50);
      expect(call.heard.loudFrames).toBeGreaterThan(10);
    });

    it.each([
      ["busy", "busy"],
      ["noAnswer", "no_answer"],
      ["fails", "failed"],
    ] as const)("ends %s with its cause and without an answer", async (where, cause) => {
      const call = follow(await dial(subject.to[where]));
      await call.until(ended(call));
      expect(call.cause()).toBe(cause);
      expect(call.types()).not.toContain("answered");
    });

    it("gives up when it has rung for as long as it may", async () => {
      const call = follow(await dial(subject.to.noAnswer, 1_000));
      await call.until(ended(call));
      expect(call.cause()).toBe("no_answer");
    });

    it("cancels a call that isn't answered, and says so once however often it is asked", async () => {
      const carrierCall = await dial(subject.to.stays);
      const call = follow(carrierCall);
      await Promise.all([carrierCall.hangup(), carrierCall.hangup()]);
      await call.until(ended(call));
      await carrierCall.hangup();
      expect(call.cause()).toBe("canceled");
      expect(call.types().filter((type) => type === "ended")).toHaveLength(1);
      expect(call.types()).not.toContain("answered");
    });

    it("hangs up a call that is answered; its media is closed then", async () => {
      const carrierCall = await dial(subject.to.stays);
      const call = follow(carrierCall);
      await call.until(() => call.types().includes("answered"));
      await call.until(() => call.heard.loudFrames > 0);
      await Promise.all([carrierCall.hangup(), carrierCall.hangup()]);
      await call.until(ended(call));
      expect(call.cause()).toBe("local_hangup");
      expect(call.types()).toEqual(["ringing", "answered", "ended"]);
      const answered = call.events.find((event) => event.type === "answered");
      expect(answered?.type === "answered" && answered.media.receive()).toBeNull();
    });

    it("delivers what happened before somebody listened", async () => {
      const carrierCall = await dial(subject.to.busy);
      for (let tick = 0; tick < 100; tick++) await subject.tick();
      const call = follow(carrierCall);
      await call.until(ended(call));
      expect(call.cause()).toBe("busy");
    });

    it("gives each call an id of its own", async () => {
      const calls = await Promise.all([
        dial(subject.to.stays),
        dial(subject.to.stays),
        dial(subject.to.stays),
      ]);
      expect(new Set(calls.map(({ sid }) => sid)).size).toBe(3);
      await Promise.all(calls.map((call) => call.hangup()));
    });

    it("throws a refusal with its code where it doesn't take the call", async () => {
      if (subject.to.refused === undefined) return;
      await expect(dial(subject.to.refused)).rejects.toBeInstanceOf(CarrierRefusal);
    });

    it("ends every call when it is closed, and takes none afterwards", async () => {
      const own = await open();
      try {
        const carrierCall = await own.carrier.dial({
          organizationId: "organization",
          callId: "last",
          from: own.from,
          to: own.to.stays,
          ringTimeoutMs: 30_000,
        });
        const events: CarrierEvent[] = [];
        carrierCall.onEvent((event) => events.push(event));
        await own.carrier.close();
        expect(events.at(-1)?.type).toBe("ended");
        await expect(
          own.carrier.dial({
            organizationId: "organization",
            callId: "too-late",
            from: own.from,
            to: own.to.stays,
            ringTimeoutMs: 30_000,
          }),
        ).rejects.toBeInstanceOf(CarrierRefusal);
      } finally {
        await own.close();
      }
    });
  });
}

import { describe, expect, it } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { SipFlow } from "./flow.ts";
import { createRegistration } from "./registration.ts";
import type { Registered } from "./trunk-requests.ts";

/** What goes over the wire is in tests/sip/sipp.test.ts. */
describe("a registration", () => {
  function setUp() {
    const clock = manualClock();
    const asked: { at: number; seconds: number; flow: number }[] = [];
    const told: unknown[] = [];
    let answer: Registered = { forMs: 300_000 };
    let answered: Promise<void> = Promise.resolve();
    let flows = 0;
    let openFlow = 0;
    const registration = createRegistration({
      clock,
      requests: {
        async register(flow, seconds) {
          asked.push({ at: clock.now(), seconds, flow: flow.local.port });
          await answered;
          return answer;
        },
      },
      async flow() {
        if (openFlow === 0) openFlow = ++flows;
        const own = openFlow;
        return { local: { address: "", port: own }, isOpen: () => openFlow === own } as SipFlow;
      },
      onChanged: (isRegistered, status) => told.push([isRegistered, status]),
    });
    const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
    return {
      asked,
      told,
      registration,
      settle,
      answers(next: Registered) {
        answer = next;
      },
      hold() {
        let go: () => void = () => undefined;
        answered = new Promise((resolve) => {
          go = resolve;
        });
        return go;
      },
      breakConnection() {
        openFlow = 0;
      },
      async pass(ms: number) {
        await settle();
        clock.advance(ms);
        await settle();
      },
    };
  }

  it("is made once, and anew when half of its time is over", async () => {
    const made = setUp();
    made.registration.keep();
    made.registration.keep();
    await made.pass(0);
    made.registration.keep();
    await made.pass(149_999);
    expect(made.asked).toHaveLength(1);
    made.answers({ forMs: 20_000 });
    await made.pass(1);
    expect(made.asked).toHaveLength(2);
    await made.pass(10_000);
    expect(made.asked).toHaveLength(3);
    expect(made.told).toEqual([[true, null]]);
  });

  it("that is refused is told of once, and tried again", async () => {
    const made = setUp();
    made.answers({ status: 403 });
    made.registration.keep();
    await made.pass(30_000);
    await made.pass(30_000);
    expect(made.asked).toHaveLength(3);
    expect(made.told).toEqual([[false, 403]]);
    made.answers({ forMs: 60_000 });
    await made.pass(30_000);
    expect(made.told).toEqual([
      [false, 403],
      [true, null],
    ]);
  });

  it("is made anew over another connection when its own has gone", async () => {
    const made = setUp();
    made.registration.keep();
    await made.pass(1_000);
    made.breakConnection();
    made.registration.keep();
    await made.pass(0);
    expect(made.asked.map(({ flow }) => flow)).toEqual([1, 2]);
  });

  it("is given up at the end, also one that is just being made; after that it isn't made any more", async () => {
    const made = setUp();
    const go = made.hold();
    made.registration.keep();
    await made.pass(0);
    const closed = made.registration.close();
    go();
    await closed;
    expect(made.asked.map(({ seconds }) => seconds)).toEqual([300, 0]);
    made.registration.keep();
    await made.pass(600_000);
    expect(made.asked).toHaveLength(2);
    expect(made.told).toEqual([]);
  });
});

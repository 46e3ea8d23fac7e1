import { describe, expect, it } from "vitest";
import { type Carrier, CarrierRefusal, type CarrierRefusalCode } from "../../voice/carriers/carrier.ts";
import { dialInOrder } from "./dial-in-order.ts";

const request = { organizationId: "o", callId: "c", from: "+1", to: "+2", ringTimeoutMs: 1 };
const refusing = (code: CarrierRefusalCode, mayBeTaken = false) =>
  new CarrierRefusal(code, `${code}.`, "failed", mayBeTaken);

/** What each carrier does when it is asked: takes the call, or throws. */
function setUp(own: string, order: string[], behaviours: Record<string, Error | "takes">) {
  const asked: string[] = [];
  const refused: string[] = [];
  let taken: string | null = null;
  const carriers = new Map(
    Object.entries(behaviours).map(([name, behaviour]): [string, Carrier] => [
      name,
      {
        name,
        async dial(given) {
          expect(given).toEqual(request);
          asked.push(name);
          if (behaviour !== "takes") throw behaviour;
          return { sid: name, onEvent: () => undefined, hangup: async () => undefined };
        },
        close: async () => undefined,
      },
    ]),
  );
  const carrier = dialInOrder({
    own,
    order,
    carriers,
    onTaken: (name) => {
      taken = name;
    },
    onRefused: (name, { code }) => refused.push(`${name}: ${code}`),
  });
  return { asked, refused, taken: () => taken, dial: () => carrier.dial(request) };
}

describe("the order of carriers", () => {
  it("begins with the number's own, and ends with the first that takes the call", async () => {
    const one = setUp("telnyx", ["sip", "twilio"], { sip: "takes", twilio: "takes", telnyx: "takes" });
    expect((await one.dial()).sid).toBe("telnyx");
    expect([one.asked, one.refused, one.taken()]).toEqual([["telnyx"], [], "telnyx"]);
    const other = setUp("telnyx", ["sip", "telnyx", "twilio"], {
      sip: refusing("no_voice_carrier_available"),
      twilio: "takes",
      telnyx: refusing("carrier_dial_failed"),
    });
    expect((await other.dial()).sid).toBe("twilio");
    expect(other.asked).toEqual(["telnyx", "sip", "twilio"]);
    expect(other.refused).toEqual(["telnyx: carrier_dial_failed", "sip: no_voice_carrier_available"]);
    expect(other.taken()).toBe("twilio");
  });

  it("goes on where the number's own isn't set up here, and past others that aren't", async () => {
    const one = setUp("telnyx", ["sip", "twilio"], { twilio: "takes" });
    expect((await one.dial()).sid).toBe("twilio");
    expect(one.asked).toEqual(["twilio"]);
    expect(() => setUp("telnyx", ["sip", "twilio"], {})).toThrow(
      "There is no carrier telnyx in this process.",
    );
  });

  it("tells what the number's own carrier said when nobody takes the call", async () => {
    const { dial, taken } = setUp("sip", ["twilio"], {
      sip: refusing("carrier_dial_failed"),
      twilio: refusing("no_voice_carrier_available"),
    });
    await expect(dial()).rejects.toMatchObject({ code: "carrier_dial_failed" });
    expect(taken()).toBeNull();
  });

  it.each([
    ["is blocked", refusing("voice_carrier_blocked")],
    ["finds no free line", refusing("concurrency_limit")],
    ["may have been taken", refusing("carrier_dial_failed", true)],
    ["meets a fault of ours", new Error("of ours")],
  ])("isn't gone on with where a call %s", async (_, error) => {
    const first = setUp("sip", ["twilio"], { sip: error, twilio: "takes" });
    await expect(first.dial()).rejects.toBe(error);
    expect(first.asked).toEqual(["sip"]);
    const second = setUp("telnyx", ["sip", "twilio"], {
      telnyx: refusing("carrier_dial_failed"),
      sip: error,
      twilio: "takes",
    });
    await expect(second.dial()).rejects.toBe(error);
    expect(second.asked).toEqual(["telnyx", "sip"]);
  });

  it("never holds the simulated carrier, and isn't there for it", async () => {
    const refusal = refusing("carrier_dial_failed");
    const from = setUp("simulated", ["twilio"], { simulated: refusal, twilio: "takes" });
    await expect(from.dial()).rejects.toBe(refusal);
    const to = setUp("twilio", ["simulated"], { simulated: "takes", twilio: refusal });
    await expect(to.dial()).rejects.toBe(refusal);
    expect([from.asked, to.asked]).toEqual([["simulated"], ["twilio"]]);
  });
});

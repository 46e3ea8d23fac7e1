import { describe, expect, it } from "vitest";
import { fakeBrowserLegs } from "../../testing/voice/fake-browser-legs.ts";
import { fakeEngine } from "../../testing/voice/fake-engine.ts";
import { fakePorts } from "../../testing/voice/fake-ports.ts";
import { callSetup, voiceHarness } from "../../testing/voice/voice-harness.ts";

async function waiting() {
  const engine = fakeEngine({
    onTold(fake, told) {
      if (told.type === "begin") fake.speak("Hello, page.", 1_000);
    },
  });
  const browserLegs = fakeBrowserLegs();
  const iceServers = [{ urls: "stun:stun.example:3478" }];
  const harness = voiceHarness({ engine, browserLegs, iceServers });
  const ports = fakePorts();
  const call = await harness.plane.startBrowserCall(callSetup({ callId: "b", medium: "browser" }), ports);
  const page = browserLegs.pages[0]!;
  const left = () => [harness.clock.pending(), harness.media.members(), harness.plane.running(), page.closed];
  return { ...harness, ports, call, page, engine, left, conversation: engine.conversations[0]! };
}

describe("a browser call", () => {
  it("is initiated by the answer, in progress once media flows, and told to the page", async () => {
    const { call, ports, page, media, plane, conversation, left } = await waiting();
    expect(call.sid).toBe("web_b");
    expect(plane.findBrowserCall("b")).toBe(call);
    expect(page.options.iceServers).toEqual([{ urls: "stun:stun.example:3478" }]);
    expect(await call.connect("offer")).toBe("answer to offer");
    expect(call.status()).toBe("initiated");
    await media.run(1_000);
    expect(call.status()).toBe("initiated");
    page.flow();
    expect(call.status()).toBe("in-progress");
    // Nobody needs to find out whether a page is a machine.
    await media.until(() => conversation.tolds("played").length > 0);
    page.send({ type: "digit", digit: "5" });
    page.closePage();
    await call.ended;
    expect(ports.log).not.toContain("classified human");
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
    expect(page.events).toEqual([
      { type: "state", status: "initiated" },
      { type: "state", status: "in-progress" },
      {
        type: "turn",
        role: "agent",
        source: "model",
        text: "Hello, page.",
        start_ms: expect.any(Number),
        end_ms: expect.any(Number),
      },
      {
        type: "turn",
        role: "user",
        source: "dtmf",
        text: "5",
        start_ms: expect.any(Number),
        end_ms: expect.any(Number),
      },
      { type: "state", status: "completed" },
      { type: "ended", status: "completed", reason: "The page was closed." },
    ]);
    expect(left()).toEqual([0, 0, [], true]);
  });

  it("answers the page once it is stored that the call is initiated", async () => {
    const { call, ports } = await waiting();
    let store = () => {};
    const { moved } = ports;
    ports.moved = async (to, at) => {
      await new Promise<void>((resolve) => {
        store = resolve;
      });
      await moved(to, at);
    };
    let answered = false;
    const connecting = call.connect("offer").then(() => {
      answered = true;
    });
    await new Promise(setImmediate);
    expect([call.status(), answered]).toEqual(["initiated", false]);
    store();
    await connecting;
    expect(ports.log).toContain("moved initiated");
  });

  it("fails when nobody connects within 60 s", async () => {
    const { call, ports, clock, left } = await waiting();
    clock.advance(59_999);
    expect(call.status()).toBe("initiating");
    clock.advance(1);
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "failed", outcome: "not_connected", answeredAt: null }]);
    expect(left()).toEqual([0, 0, [], true]);
  });

  it("fails when no media comes, with a little time for those who connect last", async () => {
    const { call, ports, clock } = await waiting();
    clock.advance(59_000);
    await call.connect("offer");
    clock.advance(9_000);
    expect(call.status()).toBe("initiated");
    clock.advance(1_000);
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "failed", outcome: "not_connected" }]);
  });

  it("survives an offer that can't be answered", async () => {
    const { call, left } = await waiting();
    await expect(call.connect("bad")).rejects.toMatchObject({ name: "InvalidOffer" });
    expect(call.status()).toBe("initiating");
    await call.connect("offer");
    await call.hangup("done");
    expect(call.status()).toBe("canceled");
    expect(left()).toEqual([0, 0, [], true]);
  });

  it("is hung up by the page, and fails when the page goes before it is connected", async () => {
    const first = await waiting();
    await first.call.connect("offer");
    first.page.flow();
    first.page.send({ type: "hangup" });
    await first.call.ended;
    expect(first.ports.ends).toMatchObject([{ status: "completed" }]);
    const second = await waiting();
    await second.call.connect("offer");
    second.page.closePage();
    await second.call.ended;
    expect(second.ports.ends).toMatchObject([{ status: "failed", outcome: "not_connected" }]);
  });
});

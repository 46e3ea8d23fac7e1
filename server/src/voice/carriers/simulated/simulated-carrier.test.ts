import { describe, expect, it } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { fakeDetectors } from "../../../testing/voice/fake-detectors.ts";
import { fakeSpeech, SPOKEN_AMPLITUDE } from "../../../testing/voice/fake-speech.ts";
import { handDrivenMediaClock } from "../../../testing/voice/hand-driven-media-clock.ts";
import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "../../media/media-leg.ts";
import { createRtpPorts } from "../../media/rtp-ports.ts";
import { carrierContract } from "../carrier.contract.ts";
import { type CarrierEvent, CarrierRefusal } from "../carrier.ts";
import { openRtpLine } from "./rtp-line.ts";
import { scenarioOf, scenarios } from "./scenarios.ts";
import { createSimulatedCarrier } from "./simulated-carrier.ts";

/** Two ends in memory: what one sends the other receives, a frame later. */
function crossedLegs(): { ours: MediaLeg; theirs: MediaLeg; open(): number } {
  const queues: [Int16Array[], Int16Array[]] = [[], []];
  let openLegs = 2;
  const leg = (from: Int16Array[], to: Int16Array[]): MediaLeg => {
    let closed = false;
    return {
      receive() {
        const samples = closed ? undefined : from.shift();
        return samples ? { samples, concealed: false } : null;
      },
      send(samples) {
        if (!closed) to.push(samples.slice());
      },
      digitsOutOfBand: () => true,
      onDigit() {},
      onFirstAudio() {},
      stats() {
        throw new Error("not asked for here");
      },
      close() {
        if (!closed) openLegs--;
        closed = true;
      },
    };
  };
  return {
    ours: leg(queues[0], queues[1]),
    theirs: leg(queues[1], queues[0]),
    open: () => openLegs,
  };
}

function setUp() {
  const mediaClock = handDrivenMediaClock(manualClock());
  const lines: ReturnType<typeof crossedLegs>[] = [];
  const speech = fakeSpeech();
  const carrier = createSimulatedCarrier({
    mediaClock,
    speech,
    speechDetector: fakeDetectors().speech,
    async openLine() {
      const line = crossedLegs();
      lines.push(line);
      return line;
    },
  });
  /** Calls a number and talks as an agent that answers each silence of a second with a second of speech. */
  const call = async (to: string) => {
    const events: CarrierEvent[] = [];
    const answered = await carrier.dial({
      organizationId: "o",
      callId: "c",
      from: "+12125550199",
      to,
      ringTimeoutMs: 30_000,
    });
    let media: MediaLeg | undefined;
    let silentMs = 0;
    let speakMs = 0;
    let loudestBeep = 0;
    answered.onEvent((event) => {
      events.push(event);
      if (event.type === "answered") media = event.media;
    });
    const removeTick = mediaClock.add(() => {
      if (!media) return;
      const heard = media.receive()?.samples;
      const level = heard ? Math.max(...heard.map(Math.abs)) : 0;
      if (level > SPOKEN_AMPLITUDE) loudestBeep = Math.max(loudestBeep, level);
      silentMs = level > 500 || speakMs > 0 ? 0 : silentMs + FRAME_MS;
      if (silentMs >= 1_000) speakMs = 1_000;
      media.send(new Int16Array(FRAME_SAMPLES).fill(speakMs > 0 ? SPOKEN_AMPLITUDE : 0));
      speakMs = Math.max(0, speakMs - FRAME_MS);
    });
    return {
      events,
      said: () => events.flatMap((event) => (event.type === "said" ? [event.text] : [])),
      ended: () => events.some(({ type }) => type === "ended"),
      loudestBeep: () => loudestBeep,
      hangup: () => answered.hangup(),
      removeTick,
    };
  };
  return { mediaClock, lines, speech, carrier, call };
}

carrierContract("the simulated carrier", async () => {
  const { carrier, mediaClock } = setUp();
  return {
    carrier,
    from: "+12125550199",
    to: {
      talks: "+12125550100",
      stays: "+12125550110",
      busy: "+12125550101",
      noAnswer: "+12125550102",
      fails: "+12125550103",
      refused: "+12125550111",
    },
    tick: () => mediaClock.tick(),
    close: () => carrier.close(),
  };
});

carrierContract("the simulated carrier over RTP", async () => {
  const clock = manualClock();
  const mediaClock = handDrivenMediaClock(clock);
  const ports = createRtpPorts({ from: 41_000, to: 41_999 });
  const carrier = createSimulatedCarrier({
    mediaClock,
    speech: fakeSpeech(),
    speechDetector: fakeDetectors().speech,
    openLine: () => openRtpLine({ ports, now: clock.now }),
  });
  return {
    carrier,
    from: "+12125550199",
    to: {
      talks: "+12125550100",
      stays: "+12125550110",
      busy: "+12125550101",
      noAnswer: "+12125550102",
      fails: "+12125550103",
      refused: "+12125550111",
    },
    tick: () => mediaClock.tick(),
    close: () => carrier.close(),
  };
});

describe("the simulated numbers", () => {
  it("are chosen by the last seven digits, whatever stands before; the rest talk", () => {
    expect(scenarioOf("+13035550101")).toBe(scenarios["5550101"]);
    expect(scenarioOf("+4420815550104")).toBe(scenarios["5550104"]);
    expect(scenarioOf("+12125551234")).toBe(scenarios["5550100"]);
  });

  it.each([
    ["+12125550107", /never call me again/],
    ["+12125550108", /tomorrow at ten in the morning/i],
    ["+12125550109", /talk to a human/],
  ])("%s says what it is for once the agent has spoken, and leaves nothing behind", async (to, words) => {
    const { mediaClock, call, lines } = setUp();
    const made = await call(to);
    await mediaClock.until(() => made.ended());
    made.removeTick();
    expect(made.said()[0]).toBe("Hello?");
    expect(made.said()[1]).toMatch(words);
    expect(made.events.at(-1)).toEqual({ type: "ended", cause: "remote_hangup" });
    expect(mediaClock.members()).toBe(0);
    expect(lines.map((line) => line.open())).toEqual([0]);
  });

  it("beeps after a machine's greeting, and says nothing as a person would", async () => {
    const { mediaClock, call } = setUp();
    const made = await call("+12125550104");
    await mediaClock.until(() => made.ended());
    expect(made.said()).toEqual([expect.stringMatching(/after the tone/)]);
    expect(made.loudestBeep()).toBeGreaterThan(8_000);
  });

  it("stays on the line for minutes, until we hang up", async () => {
    const { mediaClock, call } = setUp();
    const made = await call("+12125550110");
    await mediaClock.run(2 * 60_000);
    expect(made.ended()).toBe(false);
    expect(made.said().length).toBeGreaterThan(5);
    await made.hangup();
    expect(made.events.at(-1)).toEqual({ type: "ended", cause: "local_hangup" });
  });

  it("doesn't hear the agent: gives up waiting and goes on", async () => {
    const { mediaClock, carrier } = setUp();
    const events: CarrierEvent[] = [];
    const made = await carrier.dial({
      organizationId: "o",
      callId: "c",
      from: "+12125550199",
      to: "+12125550100",
      ringTimeoutMs: 30_000,
    });
    made.onEvent((event) => events.push(event));
    await mediaClock.until(() => events.some(({ type }) => type === "ended"), 60_000);
    expect(events.filter(({ type }) => type === "said")).toHaveLength(3);
  });

  it("goes on without a voice when none can be made", async () => {
    const { mediaClock, call, speech } = setUp();
    speech.break("fails");
    const made = await call("+12125550100");
    await mediaClock.until(() => made.ended());
    expect(made.said()).toHaveLength(3);
  });

  it("refuses with the code of the number", async () => {
    const { call } = setUp();
    await expect(call("+12125550106")).rejects.toMatchObject({
      code: "voice_carrier_blocked",
      outcome: "blocked",
    });
    await expect(call("+12125550111")).rejects.toMatchObject({ code: "carrier_dial_failed" });
  });

  it("says that no line is free when there is no port left", async () => {
    const carrier = createSimulatedCarrier({
      mediaClock: handDrivenMediaClock(manualClock()),
      speech: fakeSpeech(),
      speechDetector: fakeDetectors().speech,
      openLine: () => Promise.reject(new Error("no port is free")),
    });
    const dialed = carrier.dial({
      organizationId: "o",
      callId: "c",
      from: "+12125550199",
      to: "+12125550100",
      ringTimeoutMs: 30_000,
    });
    await expect(dialed).rejects.toBeInstanceOf(CarrierRefusal);
    await expect(dialed).rejects.toMatchObject({ code: "concurrency_limit" });
  });
});

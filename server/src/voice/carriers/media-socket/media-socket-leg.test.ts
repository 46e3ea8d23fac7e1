import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MediaSocketPair, mediaSocketPair } from "../../../testing/voice/media-socket-pair.ts";
import { decodeG711, encodeG711 } from "../../media/g711.ts";
import { mediaLegContract } from "../../media/media-leg.contract.ts";
import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "../../media/media-leg.ts";
import type { MediaSocketDialect, MediaSocketMessage } from "./media-socket-dialect.ts";
import { openMediaSocketLeg } from "./media-socket-leg.ts";

/** Says what a message is in its own words. */
const dialect: MediaSocketDialect = {
  digitsOutOfBand: true,
  read(text) {
    const message = JSON.parse(text) as MediaSocketMessage & { base64?: string };
    return message.type === "audio"
      ? { type: "audio", payload: Buffer.from(message.base64!, "base64") }
      : message;
  },
  audio: (payload) => JSON.stringify({ audio: payload.toString("base64") }),
  mark: (name) => JSON.stringify({ mark: name }),
};
const frameOf = (amplitude: number) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 ? amplitude : -amplitude));
const spoken = (amplitude: number) =>
  JSON.stringify({
    type: "audio",
    base64: Buffer.from(encodeG711("pcmu", frameOf(amplitude))).toString("base64"),
  });
const START = JSON.stringify({ type: "start", problem: null });

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}

mediaLegContract("a media socket", async () => {
  const { ours, theirs, close } = await mediaSocketPair();
  let isStarted = false;
  const leg = openMediaSocketLeg({
    socket: ours,
    dialect,
    onStarted: () => {
      isStarted = true;
    },
    onLost: () => undefined,
  });
  const heard: number[] = [];
  const speaking: number[] = [];
  theirs.on("message", (data) => {
    const { audio } = JSON.parse(String(data)) as { audio?: string };
    if (audio === undefined) return;
    heard.push(Math.max(...decodeG711("pcmu", Buffer.from(audio, "base64")).map(Math.abs)));
  });
  theirs.send(START);
  await until(() => isStarted);
  let said = 0;
  return {
    leg,
    far: {
      heard,
      key: (digit) => theirs.send(JSON.stringify({ type: "digit", digit })),
      speak(milliseconds, amplitude) {
        for (let at = 0; at < milliseconds; at += FRAME_MS) speaking.push(amplitude);
      },
    },
    async tick() {
      if (theirs.readyState !== theirs.OPEN) return;
      theirs.send(spoken(speaking.shift() ?? 0));
      said++;
      await until(
        () =>
          theirs.readyState !== theirs.OPEN ||
          (leg.stats().packetsReceived >= said && heard.length >= leg.stats().framesSent),
      );
    },
    async close() {
      leg.close();
      await close();
    },
  };
});

describe("a media socket's leg", () => {
  let pair: MediaSocketPair;
  let leg: MediaLeg;
  let nowMs = 0;
  const told: string[] = [];
  const received: { audio?: string; mark?: string }[] = [];
  const errors: unknown[] = [];

  beforeEach(async () => {
    told.length = 0;
    received.length = 0;
    errors.length = 0;
    nowMs = 0;
    pair = await mediaSocketPair();
    pair.theirs.on("message", (data) => received.push(JSON.parse(String(data)) as (typeof received)[number]));
    leg = openMediaSocketLeg({
      socket: pair.ours,
      dialect,
      onStarted: () => told.push("started"),
      onLost: (reason) => told.push(reason),
      onError: (error) => errors.push(error),
      now: () => nowMs,
    });
  });
  afterEach(async () => {
    leg.close();
    await pair.close();
  });
  const say = (...messages: (string | Buffer)[]) => {
    for (const message of messages) pair.theirs.send(message);
  };
  const started = async () => {
    say(START);
    await until(() => told.includes("started"));
  };

  it("sends and hears nothing before the stream begins", async () => {
    leg.send(frameOf(1_000));
    say(spoken(1_000), START);
    await until(() => told.includes("started"));
    expect(leg.stats()).toMatchObject({ framesSent: 0, packetsReceived: 0, packetsRefused: 1 });
    leg.send(frameOf(1_000));
    await until(() => received.length === 1);
  });

  it("closes a stream that isn't the one that was asked for", async () => {
    say(JSON.stringify({ type: "start", problem: "it is another call's" }));
    await until(() => told.length > 0);
    expect(told).toEqual(["it is another call's"]);
    await once(pair.theirs, "close");
  });

  it("leaves out what isn't of the protocol, and goes on", async () => {
    await started();
    say("{", "null", '{"type":"audio"}', Buffer.from([1, 2, 3]), START);
    say(JSON.stringify({ type: "digit", digit: "12" }), '{"type":"other"}', spoken(5_000));
    await until(() => leg.stats().packetsReceived === 1);
    expect(leg.stats().packetsRefused).toBe(6);
    expect(told).toEqual(["started"]);
  });

  it("gives up on a far side that says nothing else", async () => {
    await started();
    for (let at = 0; at < 200; at++) say("garbage");
    await until(() => told.length > 1);
    expect(told).toEqual(["started", "it doesn't speak the media protocol"]);
  });

  it.each([
    ["says that it stops", () => say('{"type":"stop"}'), "the far side ended the stream"],
    ["closes", () => pair.theirs.close(), "the far side closed the connection"],
    ["is gone", () => pair.theirs.terminate(), "the far side closed the connection"],
    ["sends too much at once", () => say("x".repeat(20_000)), "the connection broke"],
  ])("tells once when the far side %s", async (_, happens, reason) => {
    await started();
    happens();
    await until(() => told.length > 1);
    if (pair.theirs.readyState !== pair.theirs.CLOSED) await once(pair.theirs, "close");
    expect(told).toEqual(["started", reason]);
    expect(leg.receive()).toBeNull();
  });

  it("tells of no loss when it is closed by its owner", async () => {
    await started();
    leg.close();
    await once(pair.theirs, "close");
    expect(told).toEqual(["started"]);
  });

  it("survives listeners that throw", async () => {
    leg.onDigit(() => {
      throw new Error("of the listener");
    });
    await started();
    say(JSON.stringify({ type: "digit", digit: "5" }), spoken(1));
    await until(() => leg.stats().packetsReceived === 1);
    expect(errors).toHaveLength(1);
  });

  it("tells how unevenly audio comes", async () => {
    await started();
    for (const arrival of [0, 20, 40, 60]) {
      nowMs = arrival;
      say(spoken(100));
      await until(() => leg.stats().packetsReceived === arrival / 20 + 1);
    }
    expect(leg.stats().jitterMs).toBe(0);
    nowMs = 240;
    say(spoken(100));
    await until(() => leg.stats().packetsReceived === 5);
    expect(leg.stats().jitterMs).toBe(10);
  });

  it("leaves pauses out, and nothing else, while the far side plays what it was sent too late", async () => {
    await started();
    for (let frame = 0; frame < 50; frame++) leg.send(frameOf(1_000));
    await until(() => received.length === 51);
    expect(received[50]).toEqual({ mark: "50" });
    // A second's worth waits there.
    for (let frame = 0; frame < 49; frame++) leg.send(frameOf(1_000));
    say(JSON.stringify({ type: "mark", name: "50" }), spoken(1));
    await until(() => leg.stats().packetsReceived === 1);
    for (let frame = 0; frame < 60; frame++) leg.send(frameOf(frame % 2 ? 0 : 1_000));
    // 49 frames ahead: 42 pauses may go, of which there were 30.
    expect(leg.stats().framesSent).toBe(50 + 49 + 30);
    say(
      JSON.stringify({ type: "mark", name: "100" }),
      JSON.stringify({ type: "mark", name: "9999" }),
      spoken(1),
    );
    await until(() => leg.stats().packetsReceived === 2);
    for (let frame = 0; frame < 50; frame++) leg.send(frameOf(0));
    // 29 ahead: 22 go.
    expect(leg.stats().framesSent).toBe(50 + 49 + 30 + 28);
  });

  it("sends nothing more to a far side that has stopped reading", async () => {
    await started();
    pair.theirs.pause();
    for (let frame = 0; frame < 200_000 && pair.ours.bufferedAmount < 16 * 1024; frame++) {
      leg.send(frameOf(1_000));
      if (frame % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { framesSent } = leg.stats();
    for (let frame = 0; frame < 50; frame++) leg.send(frameOf(1_000));
    expect(leg.stats().framesSent).toBe(framesSent);
  });
});

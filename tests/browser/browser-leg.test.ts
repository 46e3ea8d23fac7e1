import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BrowserLeg, BrowserMessage } from "../../server/src/voice/browser/browser-leg.ts";
import { createBrowserLegs } from "../../server/src/voice/browser/browser-legs.ts";
import { createMediaClock } from "../../server/src/voice/media/media-clock.ts";
import { hasChromium, startChromium, toneStrength, writeTone } from "./chromium.ts";
import { until } from "./until.ts";

/** The server's end of a browser call with a real browser at the other: audio both ways, measured. */

const MICROPHONE_HZ = 440;
const AGENT_HZ = 1_000;

const legs = createBrowserLegs({
  addresses: ["127.0.0.1"],
  ports: { from: 32_000, to: 32_999 },
  onError: (error) => errors.push(error),
});
const clock = createMediaClock();
const errors: unknown[] = [];
let folder: string;
let browser: Browser;
let server: Server;
let call: ServerEnd;

interface ServerEnd {
  leg: BrowserLeg;
  messages: BrowserMessage[];
  /** The last second that was heard. */
  heard: Int16Array[];
  connected: boolean;
  closed: boolean;
}

/** A leg that plays a tone, and keeps what it hears. */
function newCall(): ServerEnd {
  const end: ServerEnd = {
    messages: [],
    heard: [],
    connected: false,
    closed: false,
    leg: undefined as never,
  };
  end.leg = legs.open({ iceServers: [], onEvent: (message) => end.messages.push(message) });
  end.leg.onConnected(() => {
    end.connected = true;
  });
  end.leg.onClosed(() => {
    end.closed = true;
  });
  const stop = clock.add((frame) => {
    if (end.closed) return stop();
    const heard = end.leg.media.receive();
    if (heard) end.heard.push(heard.samples.slice());
    if (end.heard.length > 50) end.heard.shift();
    const tone = Int16Array.from({ length: 160 }, (_, at) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * AGENT_HZ * (frame * 160 + at)) / 8_000)),
    );
    end.leg.media.send(tone);
  });
  return end;
}

const strength = (end: ServerEnd, hertz: number) =>
  toneStrength(Int16Array.from(end.heard.flatMap((frame) => [...frame])), hertz);

/** What a page does that connects, in its own words: it is run in the page. */
const CONNECT = `async (withMicrophone = true) => {
  const connection = new RTCPeerConnection();
  const channel = connection.createDataChannel("events");
  window.call = { connection, channel, messages: [], closed: false };
  channel.onmessage = ({ data }) => call.messages.push(JSON.parse(data));
  channel.onclose = () => { call.closed = true; };
  if (withMicrophone) {
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    const stream = await navigator.mediaDevices.getUserMedia({ audio: plain });
    call.track = stream.getAudioTracks()[0];
    connection.addTrack(call.track, stream);
  }
  connection.ontrack = ({ track }) => {
    const audio = new Audio();
    audio.srcObject = new MediaStream([track]);
    audio.play();
  };
  await connection.setLocalDescription();
  const sent = await fetch("/", { method: "POST", body: connection.localDescription.sdp });
  if (sent.status !== 200) return sent.status + " " + (await sent.text());
  await connection.setRemoteDescription({ type: "answer", sdp: await sent.text() });
  return "answered";
}`;

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page;
}

interface Inbound {
  packetsReceived: number;
  packetsLost: number;
  totalAudioEnergy: number;
  totalSamplesDuration: number;
}

const inbound = (page: Page) =>
  page.evaluate<Inbound>(
    `call.connection.getStats().then((all) => [...all.values()].find(({ type }) => type === "inbound-rtp"))`,
  );

describe.skipIf(!hasChromium)("a browser leg and Chromium", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outreach-leg-"));
    browser = await startChromium({ microphone: await writeTone(join(folder, "tone.wav"), MICROPHONE_HZ) });
    server = createServer(async (request, response) => {
      if (request.method === "GET") return void response.setHeader("content-type", "text/html").end("<p>");
      let offer = "";
      for await (const chunk of request) offer += chunk;
      await call.leg.connect(offer).then(
        (answer) => response.end(answer),
        (error: Error) => response.writeHead(400).end(error.message),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await legs.close();
    clock.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    call = newCall();
  });

  it("hear each other, and the microphone's mute is silence", async () => {
    const page = await openPage();
    let firstAudio = false;
    call.leg.media.onFirstAudio(() => {
      firstAudio = true;
    });
    expect(await page.evaluate(`(${CONNECT})()`)).toBe("answered");
    await until(() => call.connected && firstAudio);
    await until(() => call.heard.length >= 50);
    await until(() => strength(call, MICROPHONE_HZ) > 3_000);
    expect(strength(call, AGENT_HZ)).toBeLessThan(500);

    const before = await inbound(page);
    await until(async () => (await inbound(page)).totalSamplesDuration > before.totalSamplesDuration + 1);
    const after = await inbound(page);
    const seconds = after.totalSamplesDuration - before.totalSamplesDuration;
    // A sine of amplitude 10,000 of 32,768 has a mean square of .0466.
    expect((after.totalAudioEnergy - before.totalAudioEnergy) / seconds).toBeGreaterThan(0.03);
    expect(after.packetsLost).toBe(0);
    const stats = call.leg.media.stats();
    expect(stats.framesSent).toBeGreaterThan(50);
    expect(stats.packetsReceived).toBeGreaterThan(50);
    // None gets lost here; some come too late to be heard when a busy machine lets this process wait.
    expect(stats.packetsLost).toBeLessThan(stats.packetsReceived / 5);

    await page.evaluate("call.track.enabled = false");
    await until(() => strength(call, MICROPHONE_HZ) < 5);
    await page.evaluate("call.track.enabled = true");
    await until(() => strength(call, MICROPHONE_HZ) > 3_000);
    expect(call.closed).toBe(false);
    call.leg.close();
    await page.close();
  });

  it("exchange messages, those too that were sent before the channel was open and right before the end", async () => {
    const page = await openPage();
    call.leg.sendEvent({ type: "state", status: "initiated" });
    expect(await page.evaluate(`(${CONNECT})()`)).toBe("answered");
    const messages = () => page.evaluate<unknown[]>("call.messages");
    await until(async () => (await messages()).length === 1);
    await page.evaluate(`for (const message of [{ type: "digit", digit: "9" }, { type: "other" }, { type: "hangup" }])
      call.channel.send(JSON.stringify(message));`);
    await until(() => call.messages.length === 2);
    expect(call.messages).toEqual([{ type: "digit", digit: "9" }, { type: "hangup" }]);

    call.leg.sendEvent({ type: "ended", status: "completed", reason: "The person hung up." });
    call.leg.close();
    await until(() => page.evaluate<boolean>("call.closed"));
    expect(await messages()).toEqual([
      { type: "state", status: "initiated" },
      { type: "ended", status: "completed", reason: "The person hung up." },
    ]);
    expect(call.closed).toBe(false);
    await page.close();
  });

  it("part at once when the page ends the connection, and within seconds when it just disappears", async () => {
    const page = await openPage();
    await page.evaluate(`(${CONNECT})()`);
    await until(() => call.connected);
    await page.evaluate("call.channel.close()");
    await until(() => call.closed, 2_000);
    await page.close();

    call = newCall();
    const other = await openPage();
    await other.evaluate(`(${CONNECT})()`);
    await until(() => call.connected && call.heard.length > 0);
    await other.close({ runBeforeUnload: false });
    await until(() => call.closed, 9_000);
    expect(call.leg.media.receive()).toBeNull();
  });

  it("don't begin when the page offers no audio", async () => {
    const page = await openPage();
    expect(await page.evaluate(`(${CONNECT})(false)`)).toMatch(/^400 The offer has no audio/);
    await page.close();
    call.leg.close();
  });

  it("leave no error behind", () => {
    expect(errors).toEqual([]);
  });
});

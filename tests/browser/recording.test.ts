import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openRecordingStore,
  recordingKey,
  recordingLink,
} from "../../server/src/features/recordings/index.ts";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { insertTestCall } from "../../server/src/testing/test-call.ts";
import { hasChromium, startChromium, toneStrength, writeTone } from "./chromium.ts";

const SECONDS = 4;
const AGENT_HERTZ = 440;
const OTHER_HERTZ = 1000;
const LOUDNESS = 8000;

/** 20 ms of a tone that goes on from frame to frame. */
const toneFrame = (hertz: number, frame: number) =>
  Int16Array.from({ length: 160 }, (_, at) =>
    Math.round(LOUDNESS * Math.sin((2 * Math.PI * hertz * (frame * 160 + at)) / 8000)),
  );

// Run in the page.

const DECODE = `async (base64) => {
  const { buffer } = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const audio = await new OfflineAudioContext(2, 8000, 8000).decodeAudioData(buffer);
  const channels = Array.from({ length: audio.numberOfChannels }, (_, channel) => [...audio.getChannelData(channel)]);
  return { seconds: audio.duration, channels };
}`;

const PLAY = `async (from) => {
  const player = document.querySelector("video, audio");
  const event = (name) =>
    new Promise((resolve, reject) => {
      player.addEventListener(name, resolve, { once: true });
      player.addEventListener("error", () => reject(new Error(player.error?.message)), { once: true });
    });
  if (player.readyState < 1) await event("loadedmetadata");
  player.pause();
  const sought = event("seeked");
  player.currentTime = from;
  await sought;
  const ended = event("ended");
  await player.play();
  await ended;
  return { duration: player.duration, at: player.currentTime, error: player.error };
}`;

describe.skipIf(!hasChromium)("a recording, in a real browser", { timeout: 60_000 }, () => {
  let app: TestService;
  let directory: string;
  let browser: Browser;
  let page: Page;
  let link: string;
  let wav: Buffer;
  let cutOff: Buffer;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outreach-recording-"));
    app = await startTestService();
    browser = await startChromium({ microphone: await writeTone(join(directory, "microphone.wav"), 300) });
    page = await browser.newPage();

    const { organizationId } = await app.newOrganization();
    const callId = await insertTestCall(app, { organizationId });
    const key = recordingKey({ organizationId, callId }, app.clock.now());
    const store = openRecordingStore(app.config, (error) => {
      throw error;
    });
    const sink = await store.create(key);
    for (let frame = 0; frame < SECONDS * 50; frame++)
      sink.write(toneFrame(AGENT_HERTZ, frame), toneFrame(OTHER_HERTZ, frame));
    const file = join(app.config.dataDir, "recordings", key);
    const written = () => readFile(`${file}.part`);
    for (const end = performance.now() + 5000; performance.now() < end; ) {
      cutOff = await written();
      if (cutOff.length === 58 + SECONDS * 16_000) break;
    }
    const bytes = await sink.finish();
    wav = await readFile(file);
    await app.database.query({
      text: "UPDATE calls SET recording_key = $3, recording_bytes = $4 WHERE organization_id = $1 AND id = $2",
      values: [organizationId, callId, key, bytes],
    });
    const { pathname, search } = new URL(await recordingLink(app, { organizationId, callId }));
    link = app.publicUrl + pathname + search;
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** What the browser's own decoder makes of a file, at 8 kHz. */
  const decode = async (bytes: Buffer) => {
    const blank = await browser.newPage();
    const decoded = await blank.evaluate<{ seconds: number; channels: number[][] }>(
      `(${DECODE})("${bytes.toString("base64")}")`,
    );
    await blank.close();
    return {
      seconds: decoded.seconds,
      channels: decoded.channels.map((samples) => Int16Array.from(samples, (sample) => sample * 32_768)),
    };
  };

  it.each([
    ["finished", () => wav],
    ["cut off by a crash", () => cutOff],
  ])("is decoded when it is %s: the agent on the left, the other on the right", async (_what, bytes) => {
    const { seconds, channels } = await decode(bytes());
    expect(seconds).toBeCloseTo(SECONDS, 2);
    expect(channels).toHaveLength(2);
    const [left, right] = channels as [Int16Array, Int16Array];
    expect(toneStrength(left, AGENT_HERTZ)).toBeGreaterThan(LOUDNESS * 0.95);
    expect(toneStrength(left, OTHER_HERTZ)).toBeLessThan(LOUDNESS * 0.02);
    expect(toneStrength(right, OTHER_HERTZ)).toBeGreaterThan(LOUDNESS * 0.95);
    expect(toneStrength(right, AGENT_HERTZ)).toBeLessThan(LOUDNESS * 0.02);
  });

  /** A player's state after it has sought a place and played from there to the end. */
  const playFrom = (place: number) =>
    page.evaluate<{ duration: number; at: number; error: unknown }>(`(${PLAY})(${place})`);

  it("plays when its link is opened, and can be sought", async () => {
    const response = await page.goto(link);
    expect(response?.status()).toBeLessThan(300);
    const state = await playFrom(SECONDS - 0.5);
    expect(state).toMatchObject({ error: null });
    expect(state.duration).toBeCloseTo(SECONDS, 1);
    expect(state.at).toBeCloseTo(SECONDS, 1);
  });

  it("plays in a page of another origin", async () => {
    await writeFile(join(directory, "page.html"), `<audio controls src="${link}"></audio>`);
    await page.goto(`file://${join(directory, "page.html")}`);
    expect(await playFrom(SECONDS - 0.3)).toMatchObject({ error: null });
  });
});

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { RtpHeader } from "werift";
import { mediaLegContract } from "../media/media-leg.contract.ts";
import { FRAME_SAMPLES } from "../media/media-leg.ts";
import type { BrowserMessage } from "./browser-leg.ts";
import { createBrowserLegs } from "./browser-legs.ts";
import { connectPage } from "./testing/page-peer.ts";

const errors: unknown[] = [];
const legs = createBrowserLegs({
  addresses: ["127.0.0.1"],
  ports: { from: 34_000, to: 34_999 },
  onError: (error) => errors.push(error),
});
afterAll(() => legs.close());

const tone = (amplitude: number) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 ? amplitude : -amplitude));

async function open() {
  const messages: BrowserMessage[] = [];
  const leg = legs.open({ iceServers: [], onEvent: (message) => messages.push(message) });
  const page = await connectPage(leg);
  return { leg, page, messages };
}

async function until(condition: () => boolean, milliseconds = 5_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Not within ${milliseconds} ms: ${condition}`);
    await delay(5);
  }
}

mediaLegContract("a browser's connection", async () => {
  const { leg, page } = await open();
  const queue: Int16Array[] = [];
  let due = performance.now();
  return {
    leg: leg.media,
    far: {
      speak(milliseconds, amplitude) {
        for (let at = 0; at < milliseconds; at += 20) queue.push(tone(amplitude));
      },
      get heard() {
        return page.heard.map((samples) => samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0));
      },
    },
    async tick() {
      page.say(queue.shift() ?? new Int16Array(FRAME_SAMPLES));
      due = Math.max(due + 20, performance.now() - 20);
      await delay(Math.max(0, due - performance.now()));
    },
    async close() {
      leg.close();
      await page.close();
    },
  };
});

describe("a browser's connection", () => {
  it("refuses packets that aren't its audio, and lives through anything the page signs", async () => {
    const { leg, page, messages } = await open();
    let closed = false;
    leg.onClosed(() => {
      closed = true;
    });
    page.sendPacket({ payload: Buffer.alloc(0) });
    page.sendPacket({ payload: Buffer.alloc(1_200) });
    page.sendPacket({ payloadType: 8, payload: Buffer.alloc(1) });
    page.sendPacket({ payloadType: 96, payload: Buffer.alloc(160) });
    const transport = page.connection.dtlsTransports[0]!;
    // Packets with broken headers, well encrypted: extensions and contributors that aren't there, padding of all there is.
    for (const first of [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xbf]) {
      for (const length of [12, 13, 16, 40]) {
        const raw = Buffer.alloc(length, 0xff);
        raw[0] = first;
        raw[1] = 0;
        const header = Object.assign(new RtpHeader(), { serialize: () => raw.subarray(0, 12) });
        await transport.sendRtp(raw.subarray(12), header);
      }
    }
    for (const data of ["{}", "x".repeat(4_000), Buffer.from([1, 2, 3])]) page.channel.send(data);
    page.channel.send('{"type":"digit","digit":"7"}');
    await until(() => messages.length === 1);
    page.say(tone(8_000));
    await until(() => leg.media.stats().packetsReceived > 0 && leg.media.stats().packetsRefused >= 2);
    expect(closed).toBe(false);
    expect(messages).toEqual([{ type: "digit", digit: "7" }]);
    leg.close();
    await page.close();
    expect(errors).toEqual([]);
  });

  it("lives through anything that a page sends over its channel", async () => {
    const { leg, page, messages } = await open();
    const association = page.connection.sctpTransport!.sctp as unknown as {
      sendChunk(chunk: { bytes: Buffer }): Promise<void>;
    };
    const dtls = page.connection.dtlsTransports[0]!.dtls!;
    const chunks = [
      // Without a length, and a parameter without one: the stack would read them for ever.
      "04000000",
      "0400000800010000",
      // Cut off, unknown, and data of a far future.
      "00000004",
      "40000004",
      "000300140fffffff00000000000000337b7d7b7d",
    ];
    for (const bytes of chunks) await association.sendChunk({ bytes: Buffer.from(bytes, "hex") });
    // The checksum is wrong: the stack throws, where nobody awaits it.
    for (let times = 0; times < 3; times++)
      await dtls.send(Buffer.from("1388138800000000000000000400000800010004", "hex"));
    page.channel.send('{"type":"digit","digit":"7"}');
    await until(() => messages.length === 1);
    expect(errors.splice(0).map(String)).toEqual(["Error: SCTP packet has invalid checksum"]);
    leg.close();
    await page.close();
  });

  it("is closed by the page's channel, its end, and its silence", async () => {
    for (const end of ["channel", "connection"] as const) {
      const { leg, page } = await open();
      let closed = 0;
      leg.onClosed(() => closed++);
      if (end === "channel") page.channel.close();
      else await page.close();
      await until(() => closed > 0);
      leg.onClosed(() => closed++);
      expect(closed).toBe(2);
      expect(leg.media.receive()).toBeNull();
      await page.close();
    }
    const { leg, page } = await open();
    let closed = false;
    leg.onClosed(() => {
      closed = true;
    });
    // Its network goes: nothing arrives any more, and nothing says so.
    const began = performance.now();
    await page.connection.iceTransports[0]!.connection.close();
    await until(() => closed, 9_000);
    expect(performance.now() - began).toBeGreaterThan(3_000);
    leg.close();
    await page.close();
  });
});

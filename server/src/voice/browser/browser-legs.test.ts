import { createSocket } from "node:dgram";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { InvalidOffer } from "../session/voice-plane.ts";
import { createBrowserLegs } from "./browser-legs.ts";
import { mediaAddresses } from "./media-addresses.ts";
import { readPageMessage } from "./page-messages.ts";
import { readOffer } from "./read-offer.ts";
import { CHROMIUM_OFFER } from "./testing/offers.ts";

const errors: unknown[] = [];
const legs = createBrowserLegs({
  addresses: ["127.0.0.1"],
  ports: { from: 31_000, to: 31_999 },
  onError: (error) => errors.push(error),
});
const open = () => legs.open({ iceServers: [], onEvent() {} });
afterEach(() => legs.close());

const without = (line: RegExp) =>
  CHROMIUM_OFFER.split("\r\n")
    .filter((one) => !line.test(one))
    .join("\r\n");
const audioOnly = CHROMIUM_OFFER.slice(0, CHROMIUM_OFFER.indexOf("m=application"));
const dataOnly = `${CHROMIUM_OFFER.slice(0, CHROMIUM_OFFER.indexOf("m=audio"))}${CHROMIUM_OFFER.slice(CHROMIUM_OFFER.indexOf("m=application"))}`;

describe("an offer", () => {
  it("is answered with G.711, one candidate in the range of ports, and a fingerprint", async () => {
    const leg = open();
    const answer = await leg.connect(CHROMIUM_OFFER);
    expect(answer).toMatch(/^m=audio \d+ UDP\/TLS\/RTP\/SAVPF 0 8\r$/m);
    expect(answer).toMatch(/^m=application /m);
    expect(answer).toMatch(/^a=fingerprint:sha-256 /m);
    expect(answer.indexOf("a=ice-lite")).toBeLessThan(answer.indexOf("m=audio"));
    const candidates = [...answer.matchAll(/^a=candidate:\S+ 1 udp \d+ (\S+) (\d+) typ (\S+)/gm)];
    expect(new Set(candidates.map(([, address, , type]) => `${address} ${type}`))).toEqual(
      new Set(["127.0.0.1 host"]),
    );
    for (const [, , port] of candidates) {
      expect(Number(port)).toBeGreaterThanOrEqual(31_000);
      expect(Number(port)).toBeLessThanOrEqual(31_999);
    }
    leg.close();
    expect(errors).toEqual([]);
  });

  it("may come without a data channel, and with bare line feeds", async () => {
    expect(await open().connect(audioOnly.replaceAll("\r\n", "\n"))).toMatch(/^m=audio [1-9]/m);
  });

  it("may prefer A-law", async () => {
    const answer = await open().connect(
      without(/^a=rtpmap:0 /).replace("SAVPF 111 0 8 13", "SAVPF 111 8 13"),
    );
    expect(answer).toMatch(/^m=audio \d+ UDP\/TLS\/RTP\/SAVPF 8\r$/m);
  });

  it("is taken once", async () => {
    const leg = open();
    await leg.connect(CHROMIUM_OFFER);
    await expect(leg.connect(CHROMIUM_OFFER)).rejects.toThrow(InvalidOffer);
  });

  it("that comes after the end is refused", async () => {
    const leg = open();
    leg.close();
    await expect(leg.connect(CHROMIUM_OFFER)).rejects.toThrow(InvalidOffer);
  });

  const bad: [string, string, RegExp][] = [
    ["nothing", "", /not SDP/],
    ["JSON", '{"sdp":"v=0"}', /not SDP/],
    ["half a line", "v=0\r\nm", /not SDP/],
    ["a zero byte", CHROMIUM_OFFER.replace("s=-", "s=\0"), /not SDP/],
    ["too much", CHROMIUM_OFFER + "a=x:y\r\n".repeat(6_000), /longer than/],
    ["no media", CHROMIUM_OFFER.slice(0, CHROMIUM_OFFER.indexOf("m=audio")), /no audio/],
    ["no audio", dataOnly, /no audio/],
    ["rejected audio", CHROMIUM_OFFER.replace("m=audio 9", "m=audio 0"), /no audio/],
    [
      "two audios",
      CHROMIUM_OFFER + CHROMIUM_OFFER.slice(CHROMIUM_OFFER.indexOf("m=audio")),
      /more than one audio/,
    ],
    ["many media", CHROMIUM_OFFER + "m=video 0 UDP/TLS/RTP/SAVPF 96\r\n".repeat(9), /11 media/],
    ["Opus alone", without(/rtpmap:[08] /).replace("SAVPF 111 0 8 13", "SAVPF 111 13"), /no codec in common/],
    [
      "another codec as 0",
      CHROMIUM_OFFER.replace("SAVPF 111 0 8 13", "SAVPF 0").replace("0 PCMU/8000", "0 L16/8000"),
      /no codec/,
    ],
    ["plain RTP", CHROMIUM_OFFER.replace("UDP/TLS/RTP/SAVPF", "RTP/AVP"), /encrypted/],
    ["inactive audio", CHROMIUM_OFFER.replace("a=sendrecv", "a=inactive"), /inactive/],
    ["no ICE", without(/^a=ice-/), /ICE credentials/],
    [
      "a short ICE password",
      CHROMIUM_OFFER.replaceAll("a=ice-pwd:abcdef", "a=ice-pwd:ab,"),
      /ICE credentials/,
    ],
    ["no fingerprint", without(/^a=fingerprint/), /fingerprint/],
    ["a broken medium", CHROMIUM_OFFER.replace("m=audio 9 ", "m=audio nine "), /can't be read/],
  ];
  it.each(bad)("of %s is refused in words", async (_what, sdp, message) => {
    const leg = open();
    await expect(leg.connect(sdp)).rejects.toThrow(InvalidOffer);
    await expect(leg.connect(sdp)).rejects.toThrow(message);
    // And the page may try again with a better one.
    expect(await leg.connect(CHROMIUM_OFFER)).toMatch(/^m=audio/m);
    leg.close();
  });

  it("of any text at all is answered or refused, never anything else", async () => {
    const lines = CHROMIUM_OFFER.split("\r\n");
    const broken = fc.array(
      fc.record({
        at: fc.nat(lines.length - 1),
        by: fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom(...lines)),
      }),
      { minLength: 1, maxLength: 4 },
    );
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(broken, async (changes) => {
        const changed = [...lines];
        for (const { at, by } of changes)
          changed[at] = fc.stringify(by).length % 2 ? by : changed[at]!.slice(0, 5) + by;
        const leg = open();
        try {
          await leg.connect(changed.join("\r\n"));
          answered++;
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOffer);
        } finally {
          leg.close();
        }
      }),
      { numRuns: 150 },
    );
    expect(answered).toBeGreaterThan(0);
  });

  it("loses its candidates: nothing is sent to an address that it names", () => {
    const read = readOffer(CHROMIUM_OFFER);
    expect(read).not.toContain("candidate");
    expect(read).toContain("a=rtpmap:0 PCMU/8000\r\n");
  });
});

describe("a leg", () => {
  it("drops what is sent and hears nothing before the connection stands", async () => {
    const leg = open();
    leg.media.send(new Int16Array(160));
    leg.sendEvent({ type: "state", status: "initiated" });
    expect(leg.media.receive()).toBeNull();
    expect(leg.media.stats().framesSent).toBe(0);
  });

  it("goes on when a stranger sends to its port, and gives the port back at its end", async () => {
    const leg = open();
    const answer = await leg.connect(CHROMIUM_OFFER);
    const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(answer)![1]);
    let closed = false;
    leg.onClosed(() => {
      closed = true;
    });
    const stranger = createSocket("udp4");
    await new Promise<void>((resolve) => stranger.bind(0, "127.0.0.1", resolve));
    let answers = 0;
    stranger.on("message", () => answers++);
    // A check that names nobody, then garbage of every first byte: STUN, DTLS, RTP, RTCP and none of them.
    const check = Buffer.from("000100002112a442000102030405060708090a0b", "hex");
    await new Promise((resolve) => stranger.send(check, port, "127.0.0.1", resolve));
    for (let first = 0; first < 256; first++) {
      const garbage = Buffer.from([
        first,
        ...Array.from({ length: 30 }, (_, at) => (at * 37 + first) & 0xff),
      ]);
      await new Promise((resolve) => stranger.send(garbage, port, "127.0.0.1", resolve));
    }
    leg.sendEvent({ type: "state", status: "initiated" });
    expect(leg.media.receive()).toBeNull();
    expect({ closed, answers }).toEqual({ closed: false, answers: 0 });
    await new Promise<void>((resolve) => stranger.close(() => resolve()));
    leg.close();
    leg.close();
    await legs.close();
    const again = createSocket("udp4");
    await new Promise<void>((resolve, reject) => {
      again.once("error", reject);
      again.bind(port, "127.0.0.1", resolve);
    });
    await new Promise<void>((resolve) => again.close(() => resolve()));
  });

  it("finds ports for many offers at once", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => open().connect(CHROMIUM_OFFER)));
    const ports = answers.map((answer) => / 127\.0\.0\.1 (\d+) typ host/.exec(answer)?.[1]);
    expect(new Set(ports).size).toBe(12);
  });
});

describe("the addresses for media", () => {
  it("follow the operator's word, else where the API listens", () => {
    expect(mediaAddresses("203.0.113.7", "0.0.0.0")).toEqual(["203.0.113.7"]);
    expect(mediaAddresses(null, "127.0.0.1")).toEqual(["127.0.0.1"]);
    expect(mediaAddresses(null, "localhost")).toEqual(["127.0.0.1"]);
    expect(mediaAddresses(null, "10.0.0.5")).toEqual(["10.0.0.5"]);
    expect(mediaAddresses(null, "0.0.0.0").length).toBeGreaterThan(0);
  });
});

describe("a message of a page", () => {
  it("is one of those that there are, or nothing", () => {
    expect(readPageMessage('{"type":"hangup","x":1}')).toEqual({ type: "hangup" });
    expect(readPageMessage('{"type":"digit","digit":"#"}')).toEqual({ type: "digit", digit: "#" });
    const dropped = [
      "",
      "{",
      "null",
      "[]",
      '{"type":1}',
      '{"type":"digit"}',
      '{"type":"digit","digit":"12"}',
    ];
    for (const data of [
      ...dropped,
      Buffer.from('{"type":"hangup"}'),
      ` ${" ".repeat(1_000)}{"type":"hangup"}`,
    ])
      expect(readPageMessage(data)).toBeNull();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseNameAddress, parseUri, tagOf } from "./address.ts";
import { chooseChallenge } from "./digest.ts";
import { header, headerList, responseTo, type SipRequest, serialize } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { parseSdp } from "./sdp.ts";
import { createStreamFraming } from "./stream-framing.ts";
import { parseVia } from "./via.ts";

const text = (lines: readonly string[], body = "") => Buffer.from([...lines, "", body].join("\r\n"));
const REQUEST = [
  "INVITE sip:+12125550100@example.com SIP/2.0",
  "Via: SIP/2.0/UDP 192.0.2.1:5062;branch=z9hG4bKa;rport",
  "From: <sip:+14155550100@example.com>;tag=1",
  "To: <sip:+12125550100@example.com>",
  "Call-ID: a@192.0.2.1",
  "CSeq: 1 INVITE",
  "Max-Forwards: 70",
];
const without = (name: string) => REQUEST.filter((line) => !line.startsWith(`${name}:`));
const replaced = (name: string, value: string) =>
  REQUEST.map((line) => (line.startsWith(`${name}:`) ? `${name}: ${value}` : line));
const parse = (lines: readonly string[], body = "") => parseMessage(text(lines, body)) as SipRequest | null;

describe("a message", () => {
  it("is read, whatever its spelling: short names, folded lines, odd spacing, bare line feeds (RFC 4475, 3.1.1.1)", () => {
    const odd = [
      "INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0",
      "TO :",
      " sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n",
      'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>',
      "  ;",
      "  tag = 98asjd8",
      "MaX-fOrWaRdS: 0068",
      "Call-ID: wsinv.ndaksdj@192.0.2.1",
      "Content-Length   : 5",
      "cseq: 0009",
      "  INVITE",
      "v  : SIP  / 2.0  / UDP 192.0.2.2 ;branch=390skdjuw",
      "s :",
      "NewFangledHeader:   newfangled value",
      " continued newfangled value",
      "UnknownHeaderWithUnusualValue: ;;,,;;,;",
      "Route:",
      " <sip:services.example.com;lr;unknownwith=value;unknown-no-value>",
      'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =',
      "      newvalue ;",
      "  secondparam ; q = 0.33",
    ].join("\n");
    const message = parseMessage(Buffer.from(`${odd}\n\nv=0\r\nmore`)) as SipRequest;
    expect(message).toMatchObject({ kind: "request", method: "INVITE" });
    expect(message.defect).toBeUndefined();
    expect(message.body.toString()).toBe("v=0\r\n");
    expect(tagOf(header(message, "to"))).toBe("1918181833n");
    expect(tagOf(header(message, "from"))).toBe("98asjd8");
    expect(parseVia(header(message, "via"))).toMatchObject({
      protocol: "udp",
      host: "192.0.2.2",
      port: null,
    });
    expect(header(message, "call-id")).toBe("wsinv.ndaksdj@192.0.2.1");
  });

  it.each(["constructor", "__proto__", "toString"])(
    "with a header called %s has a header of that name",
    (name) => {
      const { headers } = parse([...REQUEST, `${name}: x`])!;
      expect(headers.at(-1)).toEqual({ name: name.toLowerCase(), value: "x" });
    },
  );

  it("with several Vias in one header is answered by the first", () => {
    const message = parse(
      replaced("Via", 'SIP/2.0/TCP [2001:db8::1]:99;branch=b;x="a,b", SIP/2.0/UDP second'),
    )!;
    expect(parseVia(header(message, "via"))).toMatchObject({
      protocol: "tcp",
      host: "[2001:db8::1]",
      port: 99,
    });
  });

  it.each([
    ["no To", without("To"), 400],
    ["no Call-ID", without("Call-ID"), 400],
    ["no CSeq", without("CSeq"), 400],
    ["two From", [...REQUEST, "From: <sip:b@example.com>"], 400],
    ["another method in CSeq", replaced("CSeq", "1 REGISTER"), 400],
    ["a CSeq beyond 31 bits", replaced("CSeq", "36893488147419103232 INVITE"), 400],
    ["a length that isn't one", [...REQUEST, "Content-Length: -999"], 400],
    ["a length beyond the datagram", [...REQUEST, "Content-Length: 9999"], 400],
    ["two lengths", [...REQUEST, "Content-Length: 0", "Content-Length: 1"], 400],
    ["a line that is no header", [...REQUEST, "not a header"], 400],
    ["spaces in its URI", ["INVITE sip:a b@example.com SIP/2.0", ...REQUEST.slice(1)], 400],
    ["brackets around its URI", ["INVITE <sip:a@example.com> SIP/2.0", ...REQUEST.slice(1)], 400],
    ["an unknown scheme", ["INVITE nobody:a SIP/2.0", ...REQUEST.slice(1)], 416],
    ["another version", ["INVITE sip:a@example.com SIP/7.0", ...REQUEST.slice(1)], 505],
  ])("with %s is refused", (_, lines, status) => {
    expect(parse(lines)?.defect?.status).toBe(status);
  });

  it.each([
    ["nothing", ""],
    ["a sign of life", "\r\n\r\n"],
    ["no way back", without("Via").join("\r\n")],
    ["a Via that can't be read", replaced("Via", "SIP/2.0/UDP").join("\r\n")],
    [
      "a response without CSeq",
      "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP a;branch=b\r\nFrom: a\r\nTo: b\r\nCall-ID: c",
    ],
    ["a status that is none", "SIP/2.0 1000 Much\r\n"],
    ["HTTP", "GET / HTTP/1.1\r\nHost: a"],
  ])("with %s isn't answered", (_, sent) => {
    expect(parseMessage(Buffer.from(`${sent}\r\n\r\n`))).toBeNull();
  });

  it("of which nobody knows anything never makes the parser throw", () => {
    const valid = text(REQUEST, "v=0");
    const mutated = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated), (given) => {
        let bytes: Buffer;
        if (given instanceof Uint8Array) bytes = Buffer.from(given);
        else {
          bytes = Buffer.from(valid);
          for (const [at, byte] of given) bytes[at] = byte;
        }
        const message = parseMessage(bytes);
        if (message?.kind === "request") {
          // What is answered can be answered.
          const answer = responseTo(message, message.defect?.status ?? 200, "Said", { tag: "t" });
          const again = parseMessage(serialize(answer));
          if (!message.defect) expect(again).toMatchObject({ kind: "response" });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("that we write can be read again, and no value begins a header of its own", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const value = Buffer.from(bytes).toString("latin1");
        const request = parse(REQUEST)!;
        const sent = serialize({ ...request, headers: [...request.headers, { name: "subject", value }] });
        const read = parseMessage(sent) as SipRequest;
        expect(read.headers.map(({ name }) => name)).toEqual([
          ...request.headers.map(({ name }) => name),
          "subject",
          "content-length",
        ]);
      }),
    );
  });

  it("that arrives in pieces over a connection is put together again", () => {
    const messages = [text([...REQUEST, "l: 3"], "abc"), text([...REQUEST, "Content-Length: 0"])];
    const stream = Buffer.concat([Buffer.from("\r\n\r\n"), messages[0]!, Buffer.from("\r\n"), messages[1]!]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1 }), (sizes) => {
        const framing = createStreamFraming();
        const found: string[] = [];
        let pings = 0;
        for (let at = 0, piece = 0; at < stream.length; piece++) {
          const size = sizes[piece % sizes.length]!;
          const got = framing.push(stream.subarray(at, at + size));
          found.push(...got.messages.map(String));
          pings += got.pings;
          at += size;
        }
        expect(found).toEqual(messages.map(String));
        expect(pings).toBe(1);
      }),
    );
    expect(() => createStreamFraming().push(Buffer.alloc(200_000, "a"))).toThrow();
    expect(() => createStreamFraming().push(text([...REQUEST, "Content-Length: x"]))).toThrow();
  });
});

describe("addresses", () => {
  it.each([
    [
      "sip:alice@example.com:5080;transport=tcp?a=b",
      { scheme: "sip", user: "alice", host: "example.com", port: 5080 },
    ],
    ["sips:[2001:db8::1]", { scheme: "sips", user: null, host: "2001:db8::1", port: null }],
    ["sip:%2B1212;phone-context=x:pw@h", { user: "+1212", host: "h" }],
    ["tel:+1-212-555-0100;ext=1", { scheme: "tel", user: "+1-212-555-0100" }],
  ])("%s is read", (uri, expected) => {
    expect(parseUri(uri)).toMatchObject(expected);
  });

  it.each(["http://a", "sip:", "sip:a@", "sip:a@b:0", "sip:a@b:99999", "sip:a b@c", ""])(
    "%s isn't one",
    (uri) => {
      expect(parseUri(uri)).toBeNull();
    },
  );

  it("never make the readers throw", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        parseUri(`sip:${value}`);
        parseNameAddress(value);
        parseVia(`SIP/2.0/UDP ${value}`);
        parseSdp(value);
        chooseChallenge([`Digest ${value}`]);
        headerList({ ...parse(REQUEST)!, headers: [{ name: "contact", value }] }, "contact");
      }),
    );
  });
});

describe("a description of audio", () => {
  const sdp = (...lines: string[]) =>
    ["v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "t=0 0", ...lines].join("\r\n");

  it("is read: the laws in their order, keyed digits, the address nearest to the media", () => {
    const read = parseSdp(
      sdp(
        "c=IN IP4 192.0.2.1",
        "m=video 4000 RTP/AVP 31",
        "m=audio 4002/1 RTP/AVP 18 8 0 96",
        "c=IN IP4 192.0.2.9",
        "a=rtpmap:96 telephone-event/8000",
        "a=sendonly",
      ),
    );
    expect(read).toMatchObject({
      address: "192.0.2.9",
      port: 4002,
      laws: ["pcma", "pcmu"],
      telephoneEvent: 96,
      direction: "sendonly",
      refused: { before: ["m=video 0 RTP/AVP 31"], after: [] },
    });
  });

  it.each([
    ["no audio", sdp("c=IN IP4 192.0.2.1", "m=video 4000 RTP/AVP 31")],
    ["no law that we know", sdp("c=IN IP4 192.0.2.1", "m=audio 4000 RTP/AVP 18")],
    ["no address", sdp("m=audio 4000 RTP/AVP 0")],
    ["a name for an address", sdp("c=IN IP4 example.com", "m=audio 4000 RTP/AVP 0")],
    ["a port that is refused", sdp("c=IN IP4 192.0.2.1", "m=audio 0 RTP/AVP 0")],
    ["encrypted audio without a key", sdp("c=IN IP4 192.0.2.1", "m=audio 4000 RTP/SAVP 0")],
    [
      "a cipher that we don't have",
      sdp(
        "c=IN IP4 192.0.2.1",
        "m=audio 4000 RTP/SAVP 0",
        "a=crypto:1 F8_128_HMAC_SHA1_80 inline:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      ),
    ],
  ])("with %s isn't one that we can take part in", (_, given) => {
    expect(parseSdp(given)).toBeNull();
  });

  it("with a key for its packets tells it", () => {
    const key = "d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj";
    const given = sdp(
      "c=IN IP4 192.0.2.1",
      "m=audio 4000 RTP/SAVP 0",
      "a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:x",
      `a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20`,
    );
    expect(parseSdp(given)?.crypto).toEqual({ tag: "2", secret: Buffer.from(key, "base64") });
    expect(parseSdp(given.replace("SAVP", "AVP"))?.crypto).toBeNull();
  });

  it("with the address of nobody is a call on hold", () => {
    expect(parseSdp(sdp("c=IN IP4 0.0.0.0", "m=audio 4000 RTP/AVP 0"))?.direction).toBe("inactive");
  });
});

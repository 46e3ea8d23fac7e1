import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../clock.ts";
import { freePort } from "../../../testing/free-port.ts";
import { memoryTrunkLimits } from "../../../testing/voice/memory-trunk-limits.ts";
import { createRtpPorts } from "../../media/rtp-ports.ts";
import { createSipCarrier, type SipCarrier } from "./create-sip-carrier.ts";
import { resolveTarget } from "./resolve-target.ts";

/**
 * The torture messages of RFC 4475, made by their descriptions, and then any bytes at all: sent over UDP to the whole carrier, as
 * a trunk would. Nobody here has an agent: a call that is understood gets 404.
 */

const US = "sip:+12125550100@example.com";
const SDP =
  "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n";

interface Parts {
  first?: string;
  method?: string;
  uri?: string;
  via?: string;
  branch?: string;
  from?: string;
  to?: string;
  callId?: string;
  cseq?: string;
  /** More header lines; a missing one is left out by `without`. */
  more?: readonly string[];
  without?: readonly string[];
  body?: string;
  /** What stands for the length; null: no such line. */
  length?: string | null;
  /** Bytes after the message. */
  after?: string;
}

let lastId = 0;
/** HERE is where we listen for the answer. */
function message(parts: Parts = {}): string {
  const { method = "OPTIONS", uri = US, body = "", without = [] } = parts;
  const id = ++lastId;
  const branch = parts.branch ?? `;branch=z9hG4bK${id}`;
  const lines = [
    parts.first ?? `${method} ${uri} SIP/2.0`,
    parts.via ?? `Via: SIP/2.0/UDP HERE${branch}`,
    `From: ${parts.from ?? "<sip:caller@example.net>;tag=1"}`,
    `To: ${parts.to ?? "<sip:+12125550100@example.com>"}`,
    `Call-ID: ${parts.callId ?? `${id}@example.net`}`,
    `CSeq: ${parts.cseq ?? `1 ${method}`}`,
    "Contact: <sip:caller@127.0.0.1>",
    "Max-Forwards: 70",
    ...(parts.more ?? []),
    ...(parts.length === null ? [] : [`Content-Length: ${parts.length ?? Buffer.byteLength(body)}`]),
  ].filter((line) => !without.some((name) => line.toLowerCase().startsWith(`${name}:`)));
  return `${[...lines, "", ""].join("\r\n")}${body}${parts.after ?? ""}`;
}
const call = (parts: Parts = {}) =>
  message({ method: "INVITE", body: SDP, more: ["Content-Type: application/sdp"], ...parts });

const LONG = "x".repeat(300);
const RANGE = "!interesting-Method0123456789_*+`.%indeed'~";

/** Each section of RFC 4475, and what we answer; null: nothing. Where it leaves a choice, what we chose. */
const TORTURE: readonly (readonly [section: string, what: string, bytes: string, status: number | null])[] = [
  // 3.1.1: valid.
  [
    "3.1.1.1",
    "a short tortuous INVITE",
    [
      `INVITE sip:+12125550100@example.com;unknownparam SIP/2.0`,
      "TO :\r\n sip:+12125550100@example.com ;   x    = 1918181833n",
      'from   : "J Rosenberg \\\\\\""       <sip:j@example.com>\r\n  ;\r\n  tag = 98asjd8',
      "MaX-fOrWaRdS: 0068",
      "Call-ID: wsinv.ndaksdj@192.0.2.1",
      `Content-Length   : ${SDP.length}`,
      "cseq: 0009\r\n  INVITE",
      "Via  : SIP  /   2.0\r\n /UDP\r\n    HERE;branch=390skdjuw",
      "s :",
      "NewFangledHeader:   newfangled value\r\n continued newfangled value",
      "UnknownHeaderWithUnusualValue: ;;,,;;,;",
      "Content-Type: application/sdp",
      "Route:\r\n <sip:services.example.com;lr;unknownwith=value;unknown-no-value>",
      "v:  SIP  / 2.0  / TCP     spindle.example.com   ;\r\n  branch  =   z9hG4bK9ikj8  ,\r\n SIP  /    2.0   / UDP  192.168.255.111   ; branch=\r\n z9hG4bK30239",
      'm:"Quoted string \\"\\"" <sip:j@example.com> ; newparam =\r\n      newvalue ;\r\n  secondparam ; q = 0.33',
      "",
      SDP,
    ].join("\r\n"),
    404,
  ],
  [
    "3.1.1.2",
    "a wide range of valid characters",
    message({
      method: RANGE,
      uri: "sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com",
      to: `"BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@example.com>`,
      from: `token1~\` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%="работающий";tag=_token~1'+\`*%!-.`,
      callId: "intmeth.word%ZK-!.*_+'@word`~)(><:\\/\"][?}{",
      more: [
        "extensionHeader-!.%*+_`'~:\u00ef\u00bb\u00bf\u00e5\u00a4\u00a7\u00e5\u0081\u009c\u00e9\u009b\u00bb",
      ],
    }),
    405,
  ],
  [
    "3.1.1.3",
    "valid escapes",
    call({ uri: "sip:sips%3Auser%40example.com@example.net", to: "sip:%75se%72@example.com" }),
    404,
  ],
  ["3.1.1.4", "escaped nulls", message({ method: "REGISTER", to: "sip:null-%00-null@example.com" }), 405],
  [
    "3.1.1.5",
    "% that escapes nothing",
    message({ method: "RE%47IST%45R", to: '"%Z%45" <sip:r@example.com>' }),
    405,
  ],
  ["3.1.1.6", "no space before <", message({ from: "caller<sip:caller@example.com>;tag=323" }), 200],
  [
    "3.1.1.7",
    "long values",
    call({
      to: `"I have a user name of ${LONG}" <sip:+12125550100@example.com:6000;unknownparam1=${LONG}>`,
      from: `sip:caller@example.net;tag=12${LONG}424`,
      callId: `longreq.one${LONG}`,
      more: ["Content-Type: application/sdp", `Unknown-${LONG}-Name: unknown-${LONG}-value`],
    }),
    404,
  ],
  ["3.1.1.8", "octets after the message", message({ method: "REGISTER", after: call() }), 405],
  ["3.1.1.9", "semicolons in the user", message({ uri: "sip:user;par=u%40example.net@example.com" }), 200],
  [
    "3.1.1.10",
    "unknown transports",
    message({
      more: ["SCTP", "TLS", "UNKNOWN", "TCP"].map(
        (name) => `Via: SIP/2.0/${name} t.example.com;branch=z9hG4bKx`,
      ),
    }),
    200,
  ],
  [
    "3.1.1.11",
    "several parts",
    message({
      method: "MESSAGE",
      more: ['Content-Type: multipart/mixed;boundary="7a9c"'],
      body: "--7a9c\r\n\r\nHello\r\n--7a9c\r\nContent-Type: application/octet-stream\r\n\r\n\x00\xff\r\n--7a9c--\r\n",
    }),
    405,
  ],
  [
    "3.1.1.12",
    "an unusual reason",
    message({ first: "SIP/2.0 200 = 2**3 * 5**2 но сто девяносто девять" }),
    null,
  ],
  ["3.1.1.13", "an empty reason", message({ first: "SIP/2.0 100 " }), null],
  // 3.1.2: invalid.
  [
    "3.1.2.1",
    "extra separators",
    call({ via: "Via: SIP/2.0/UDP HERE;;,;,,", more: ['Contact: "x" <sip:x@h>;;,,;;'] }),
    404,
  ],
  ["3.1.2.2", "a length beyond the datagram", call({ length: "9999" }), 400],
  ["3.1.2.3", "a negative length", call({ length: "-999" }), 400],
  [
    "3.1.2.4",
    "a request's numbers too large",
    message({
      method: "REGISTER",
      cseq: "36893488147419103232 REGISTER",
      more: ["Expires: 1000000000000000000000"],
    }),
    400,
  ],
  [
    "3.1.2.5",
    "an answer's numbers too large",
    message({
      first: "SIP/2.0 503 Service Unavailable",
      cseq: "9292394834772304023312 OPTIONS",
      more: ["Retry-After: 949302838503028349304023988"],
    }),
    null,
  ],
  ["3.1.2.6", "an open quote", call({ to: '"Mr. J. User <sip:j.user@example.com>' }), 400],
  ["3.1.2.7", "brackets around the URI", call({ uri: "<sip:user@example.com>" }), 400],
  ["3.1.2.8", "spaces in the URI", call({ uri: "sip:user@example.com; lr" }), 400],
  ["3.1.2.9", "spaces between the first line's parts", call({ first: `INVITE  ${US}  SIP/2.0` }), 404],
  ["3.1.2.10", "spaces after the first line", message({ first: `OPTIONS ${US} SIP/2.0  ` }), 200],
  ["3.1.2.11", "headers in the URI", call({ uri: `${US}?Route=%3Csip:example.com%3E` }), 404],
  [
    "3.1.2.12",
    "a date of no zone",
    call({ more: ["Content-Type: application/sdp", "Date: Fri, 01 Jan 2010 16:00:00 EST"] }),
    404,
  ],
  [
    "3.1.2.13",
    "parameters of nobody knows what",
    message({ method: "REGISTER", more: ["Contact: sip:user@example.com?Route=%3Csip:h%3E"] }),
    405,
  ],
  [
    "3.1.2.14",
    "spaces within an address",
    message({ to: '"Watson, Thomas" < sip:t.watson@example.org >' }),
    200,
  ],
  [
    "3.1.2.15",
    "names that need quotes",
    message({ from: "Bell, Alexander <sip:a.g.bell@example.com>;tag=43" }),
    200,
  ],
  ["3.1.2.16", "another version", message({ first: `OPTIONS ${US} SIP/7.0` }), 505],
  ["3.1.2.17", "another method in CSeq", message({ cseq: "8 INVITE" }), 400],
  ["3.1.2.18", "an unknown method, another in CSeq", message({ method: "NEWMETHOD", cseq: "8 INVITE" }), 400],
  [
    "3.1.2.19",
    "a status too large",
    message({ first: "SIP/2.0 4294967301 better not break the receiver" }),
    null,
  ],
  // 3.2 to 3.4: what they mean.
  ["3.2.1", "no transaction's name", message({ branch: ";branch=z9hG4bK" }), 200],
  [
    "3.3.1",
    "required headers missing",
    message({ method: "INVITE", without: ["call-id", "from", "to"] }),
    400,
  ],
  ["3.3.2", "an unknown scheme", message({ uri: "nobodyKnowsThisScheme:totallyopaquecontent" }), 416],
  ["3.3.3", "a scheme that isn't for this", message({ uri: "soap.beep://192.0.2.103:3002" }), 416],
  [
    "3.3.4",
    "unknown schemes in headers",
    message({ method: "REGISTER", to: "isbn:2983792873", from: "<http://www.example.com>;tag=3" }),
    405,
  ],
  [
    "3.3.5",
    "extensions required",
    message({
      more: [
        "Require: nothingSupportsThis, nothingSupportsThisEither",
        "Proxy-Require: noProxiesSupportThis",
      ],
    }),
    420,
  ],
  ["3.3.6", "a body of unknown type", call({ more: ["Content-Type: application/unknownformat"] }), 415],
  [
    "3.3.7",
    "an unknown way to authorize",
    message({ method: "REGISTER", more: ["Authorization: NoOneKnowsThisScheme opaque-data=here"] }),
    405,
  ],
  [
    "3.3.8",
    "several values where one may be",
    call({
      more: [
        "Call-ID: other@example.net",
        "CSeq: 60 INVITE",
        "To: sip:other@example.com",
        "From: sip:other@h;tag=2",
      ],
    }),
    400,
  ],
  ["3.3.9", "several lengths", call({ more: ["Content-Length: 13", "Content-Type: application/sdp"] }), 400],
  [
    "3.3.10",
    "an answer for everybody",
    message({ first: "SIP/2.0 200 OK", via: "Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23" }),
    null,
  ],
  [
    "3.3.11",
    "no more hops, at its end",
    message({ without: ["max-forwards"], more: ["max-forwards : 0"] }),
    200,
  ],
  [
    "3.3.12",
    "a contact's parameter",
    message({ method: "REGISTER", more: ["Contact: sip:+19725552222@gw1.example.net;unknownparam"] }),
    405,
  ],
  [
    "3.3.13",
    "a URI's parameter",
    message({ method: "REGISTER", more: ["Contact: <sip:+19725552222@gw1.example.net;unknownparam>"] }),
    405,
  ],
  [
    "3.3.14",
    "an escaped header",
    message({
      method: "REGISTER",
      more: ["Contact: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>"],
    }),
    405,
  ],
  [
    "3.3.15",
    "nothing that we can answer with",
    call({ more: ["Content-Type: application/sdp", "Accept: text/nobodyKnowsThis"] }),
    406,
  ],
  [
    "3.4.1",
    "an INVITE of RFC 2543",
    call({
      via: "Via: SIP/2.0/UDP HERE",
      from: '"caller" <sip:caller@example.net>',
      without: ["max-forwards", "contact"],
    }),
    404,
  ],
];

describe("over UDP, the carrier", () => {
  let carrier: SipCarrier;
  let port: number;
  let socket: Socket;
  const errors: unknown[] = [];
  /** As they came: an answer repeats what was wrong with its request. */
  const answers: { status: number; text: string }[] = [];

  beforeAll(async () => {
    socket = createSocket("udp4");
    socket.on("message", (bytes) => {
      const text = bytes.toString();
      const [, status] = /^SIP\/2\.0 (\d{3}) /.exec(text) ?? [];
      if (status !== undefined) answers.push({ status: Number(status), text });
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    port = await freePort();
    const trunks = [
      {
        id: "t",
        organizationId: null,
        name: "t",
        host: "127.0.0.1",
        port: 9,
        protocol: "udp" as const,
        credentials: null,
        channels: null,
        callsPerSecond: null,
        register: false,
      },
    ];
    let told: (problem?: unknown) => void = () => undefined;
    const listening = new Promise<unknown>((resolve) => (told = resolve));
    carrier = createSipCarrier({
      clock: systemClock(),
      newToken: () => randomBytes(8).toString("hex"),
      ports: createRtpPorts({ from: 41_000, to: 41_999 }),
      source: { trunksOf: async () => trunks, allTrunks: async () => trunks },
      limits: memoryTrunkLimits(systemClock()),
      resolve: resolveTarget,
      bind: { address: "127.0.0.1", port },
      advertisedAddress: null,
      logger: {
        error(fields, message) {
          errors.push(fields);
          told(message);
        },
        warn() {},
        info: () => told(),
      },
    });
    carrier.answerWith(async () => "no_agent");
    expect(await listening).toBeUndefined();
  });
  afterAll(async () => {
    await carrier.close();
    socket.close();
  });

  const send = (bytes: Uint8Array) => socket.send(bytes, port, "127.0.0.1");
  const here = (text: string) => text.replaceAll("HERE", `127.0.0.1:${socket.address().port}`);

  /** What the carrier says to a question of ours, once it has been through everything before. */
  async function isThere(): Promise<void> {
    const asked = here(message());
    send(Buffer.from(asked));
    const id = header({ text: asked }, "call-id");
    await expect.poll(() => answers.find((each) => header(each, "call-id") === id)?.status).toBe(200);
  }
  const finals = () => answers.filter(({ status }) => status >= 200);
  const header = (answer: { text: string }, name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(answer.text)?.[1]?.trim();
  const acknowledge = (answer: { text: string }, uri: string) => {
    const [, number] = /^(\d+)\s+INVITE$/.exec(header(answer, "cseq") ?? "") ?? [];
    if (number === undefined) return;
    const kept = ["via", "from", "to", "call-id"].map((name) => `${name}: ${header(answer, name)}`);
    const cseq = `CSeq: ${number} ACK`;
    send(Buffer.from([`ACK ${uri} SIP/2.0`, ...kept, cseq, "", ""].join("\r\n")));
  };

  it.each(TORTURE)("answers RFC 4475, %s: %s", async (_section, _what, text, status) => {
    answers.length = 0;
    send(Buffer.from(here(text)));
    if (status !== null) await expect.poll(() => finals().length).toBeGreaterThan(0);
    const first = finals()[0];
    if (first) acknowledge(first, /^\S+\s+(\S+)/.exec(text)![1]!);
    await isThere();
    const [answer, ...others] = finals();
    if (status === null) expect(others).toEqual([]);
    else {
      expect(answer!.status).toBe(status);
      expect(others).toHaveLength(1);
      if (status === 420) expect(header(answer!, "unsupported")).toContain("nothingSupportsThisEither");
      if (status === 415) expect(header(answer!, "accept")).toBe("application/sdp");
      if (status === 405) expect(header(answer!, "allow")).toContain("INVITE");
    }
    expect(errors).toEqual([]);
  });

  it("tells two requests apart that name their transaction alike (3.2.1)", async () => {
    answers.length = 0;
    for (const callId of ["one", "two"])
      send(Buffer.from(here(message({ branch: ";branch=z9hG4bK", callId }))));
    await expect
      .poll(() => answers.map((answer) => header(answer, "call-id")).sort())
      .toEqual(["one", "two"]);
  });

  it("says where a request came from, which its Via may not know (RFC 3261, 18.2.1; RFC 3581, 4)", async () => {
    answers.length = 0;
    const via = 'Via: SIP/2.0/UDP phone.example.net:5060;rport;branch=z9hG4bKnat;x="a,b", SIP/2.0/UDP other';
    send(Buffer.from(message({ via })));
    await expect.poll(() => answers.length).toBe(1);
    expect(header(answers[0]!, "via")).toBe(
      `SIP/2.0/UDP phone.example.net:5060;received=127.0.0.1;rport=${socket.address().port};branch=z9hG4bKnat;x="a,b", SIP/2.0/UDP other`,
    );
  });

  it("survives any bytes", async () => {
    const valid = Buffer.from(here(call()));
    const mutation = fc.array(
      fc.record({
        at: fc.nat(valid.length - 1),
        cut: fc.nat(6),
        put: fc.oneof(
          fc.uint8Array({ maxLength: 6 }),
          fc.constantFrom(
            "\r\n",
            "\r\n\r\n",
            ":",
            ";",
            ",",
            '"',
            "<",
            ">",
            "%00",
            "=",
            " ",
            "\0",
            "\t",
            "9".repeat(20),
          ),
        ),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(mutation, fc.uint8Array({ maxLength: 400 })), { maxLength: 20 }),
        async (all) => {
          for (const given of all) {
            let bytes: Buffer = Buffer.from(valid);
            if (given instanceof Uint8Array) bytes = Buffer.from(given);
            else
              for (const { at, cut, put } of given)
                bytes = Buffer.concat([
                  bytes.subarray(0, at),
                  Buffer.from(put as Uint8Array),
                  bytes.subarray(at + cut),
                ]);
            send(bytes);
          }
          answers.length = 0;
          await isThere();
          expect(errors).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("answers every request that has a way back, once", async () => {
    const word = fc
      .string({ unit: "grapheme-ascii", maxLength: 12 })
      .map((text) => text.replace(/[\r\n]/g, ""));
    const line = fc.tuple(
      fc.constantFrom(
        "From",
        "To",
        "Contact",
        "Call-ID",
        "CSeq",
        "Require",
        "Route",
        "Content-Type",
        "Accept",
        "X-Y",
        "Expires",
        "Record-Route",
        "v",
      ),
      word,
    );
    const methods = ["INVITE", "OPTIONS", "BYE", "CANCEL", "REGISTER", "UPDATE", "PRACK", "info", "X-~"];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.constantFrom(US, "sip:", "tel:+1", "x", "sip:a@b;;;", "sips:[::1]", "<sip:a>", "http://a"),
        fc.array(line, { maxLength: 6 }),
        fc.array(fc.constantFrom("from", "to", "call-id", "cseq", "content-length", "contact"), {
          maxLength: 3,
        }),
        word,
        async (method, uri, lines, without, body) => {
          const branch = `z9hG4bK${randomBytes(8).toString("hex")}`;
          const more = lines.map(([name, value]) => `${name}: ${value}`);
          answers.length = 0;
          send(Buffer.from(here(message({ method, uri, more, without, body, branch: `;branch=${branch}` }))));
          const own = () => finals().filter(({ text }) => text.includes(`;branch=${branch}`));
          await expect.poll(() => own().length, { interval: 2 }).toBe(1);
          acknowledge(own()[0]!, uri);
          expect(errors).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

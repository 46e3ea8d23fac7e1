import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../server/src/testing/free-port.ts";

/** A program of Debian's that speaks SIP, for the tests against somebody else's. */
export function peerProgram(name: string, debianPackage: string): boolean {
  const isThere = existsSync(`/usr/bin/${name}`);
  if (!isThere && process.env.REQUIRE_ALL === "1")
    throw new Error(`There is no ${name}: apt-get install ${debianPackage}`);
  return isThere;
}

export async function until(isSo: () => boolean, what: string, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const OWN_TAG = "sipp[call_number]";
const CONTACT = "Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>";
const sdp = (direction = "sendrecv", port = "[media_port]") =>
  [
    "Content-Type: application/sdp",
    "Content-Length: [len]",
    "",
    "v=0",
    "o=sipp 1 1 IN IP4 [local_ip]",
    "s=-",
    "c=IN IP4 [media_ip]",
    "t=0 0",
    `m=audio ${port} RTP/AVP 0 101`,
    "a=rtpmap:101 telephone-event/8000",
    `a=${direction}`,
  ].join("\n");
const NO_BODY = "Content-Length: 0";
const AGAIN = 'retrans="500"';

const send = (text: string, attributes = "") => `<send ${attributes}><![CDATA[\n${text}\n\n]]></send>`;
const reply = (status: number | string, reason: string, more = `${CONTACT}\n${NO_BODY}`, tag = OWN_TAG) =>
  [`SIP/2.0 ${status} ${reason}`, "[last_Via:]", "[last_From:]", `[last_To:];tag=${tag}`, "[last_Call-ID:]"]
    .concat("[last_CSeq:]", more)
    .join("\n");
/** The answer to the INVITE where the last request was another one. */
const ofInvite = (text: string) => text.replace("[last_CSeq:]", "CSeq: 1 INVITE");

/** A request within a call that was made to sipp. */
const within = (method: string, cseq: number, more = NO_BODY) =>
  [
    `${method} [next_url] SIP/2.0`,
    "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
    `From:[$to];tag=${OWN_TAG}`,
    "To:[$from]",
    "[last_Call-ID:]",
    `CSeq: ${cseq} ${method}`,
    CONTACT,
    "Max-Forwards: 70",
    more,
  ].join("\n");

/** A request of a call that sipp makes. CANCEL, and the ACK of a refusal, go by their INVITE's branch. */
const calling = (method: string, cseq: number, to: string, more = NO_BODY, branch = "[branch]") =>
  [
    `${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0`,
    `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${branch}`,
    "From: <sip:+14155550100@[local_ip]>;tag=[call_number]",
    to,
    "Call-ID: [call_id]",
    `CSeq: ${cseq} ${method}`,
    CONTACT,
    "Max-Forwards: 70",
    more,
  ].join("\n");
const INVITE_BRANCH = "z9hG4bK-[pid]-[call_number]-invite";
const PLAIN_TO = "To: <sip:[service]@[remote_ip]>";
const TAGGED_TO = "To: <sip:[service]@[remote_ip]>[peer_tag_param]";

let variables = 0;
/** Fails the call unless what has come fits. */
const holds = (pattern: string) => {
  const name = `seen${++variables}`;
  return {
    action: `<action><ereg regexp="${pattern}" search_in="msg" check_it="true" assign_to="${name}"/></action>`,
    reference: `<Reference variables="${name}"/>`,
  };
};
const expected = (what: string, pattern: string) => {
  const { action, reference } = holds(pattern);
  return `<recv ${what}>${action}</recv>${reference}`;
};

/** Fails the call unless the request that comes brings what answers a challenge. */
const authorized = (method: string, more = "") => {
  const name = `valid${++variables}`;
  return `<recv request="${method}"><action><verifyauth assign_to="${name}" username="alice" password="secret"/></action></recv>
    <nop test="${name}" next="${name}"/><nop><action><error message="the password is wrong"/></action></nop><label id="${name}"/>${more}`;
};

/** The steps of a scenario, as sipp's own language has them: of a server, and, below `calls`, of a client. */
export const steps = {
  invite: `<recv request="INVITE" rrs="true"><action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="from"/>
    <ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/>
    <ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via"/></action></recv><Reference variables="from,to,via"/>`,
  trying: send(reply(100, "Trying")),
  ringing: send(reply(180, "Ringing")),
  progress: send(reply(183, "Session Progress", `${CONTACT}\n${sdp()}`)),
  answer: send(reply(200, "OK", `${CONTACT}\n${sdp()}`), AGAIN),
  answerAt: (port: number) => send(reply(200, "OK", `${CONTACT}\n${sdp("sendrecv", String(port))}`), AGAIN),
  /** After early media: the description isn't repeated. */
  answerBriefly: send(reply(200, "OK"), AGAIN),
  /** Another phone that the call has been forked to answers too. */
  answerTwice: send(
    ofInvite(reply(200, "OK", `${CONTACT}\n${sdp()}`, "other"))
      .replace("[last_To:]", "To:[$to]")
      .replace("[last_Via:]", "Via:[$via]"),
    AGAIN,
  ),
  refuse: (status: number) => send(reply(status, "Said"), AGAIN),
  /** Says to each call what the last three digits of the number ask for, and wants its ACK. */
  refuseByNumber: (codes: readonly number[]) => `<recv request="INVITE"><action>
    <ereg regexp="sip:.1212555([0-9]{3})@" search_in="msg" check_it="true" assign_to="number,digits"/>
    <todouble assign_to="code" variable="digits"/></action></recv><Reference variables="number"/>
    ${codes
      .map(
        (code) =>
          `<nop test="is" next="says${code}"><action><test assign_to="is" variable="code" compare="equal" value="${code}"/></action></nop>`,
      )
      .join("\n")}
    <nop><action><error message="which code?"/></action></nop>
    ${codes.map((code) => `<label id="says${code}"/>${send(reply(code, "Said"), `${AGAIN} next="said"`)}`).join("\n")}
    <label id="said"/><recv request="ACK"/>`,
  challenge: (nonce: string, more = "") =>
    send(
      reply(
        401,
        "Unauthorized",
        `WWW-Authenticate: Digest realm="trunk", nonce="${nonce}"${more}\n${NO_BODY}`,
      ),
      AGAIN,
    ),
  challengeOnce: (nonce: string, more = "") =>
    send(
      reply(
        401,
        "Unauthorized",
        `WWW-Authenticate: Digest realm="trunk", nonce="${nonce}"${more}\n${NO_BODY}`,
      ),
    ),
  authorized,
  expect: expected,
  request: (method: string) => `<recv request="${method}"/>`,
  reply: (status: number, headers: string) => send(reply(status, "Said", `${headers}\n${NO_BODY}`)),
  ack: '<recv request="ACK"/>',
  cancel: `<recv request="CANCEL"/>${send(reply(200, "OK"))}${send(ofInvite(reply(487, "Request Terminated")), AGAIN)}`,
  /** The answer comes all the same: CANCEL was too late. */
  crossedCancel: `<recv request="CANCEL"/>${send(reply(200, "OK"))}${send(ofInvite(reply(200, "OK", `${CONTACT}\n${sdp()}`)))}`,
  bye: `<recv request="BYE"/>${send(reply(200, "OK"))}`,
  byeOfOther: `${expected('request="BYE"', "To:.*tag=other")}${send(reply(200, "OK"))}`,
  hangup: `${send(within("BYE", 7), AGAIN)}<recv response="200"/>`,
  /** A re-INVITE; fails unless we answer in that direction. */
  reinvite: (cseq: number, direction: string, answer: string, port?: number) =>
    `${send(within("INVITE", cseq, sdp(direction, port === undefined ? undefined : String(port))), AGAIN)}
    <recv response="100" optional="true"/>${expected('response="200"', `a=${answer}`)}${send(within("ACK", cseq))}`,
  pause: (ms: number) => `<pause milliseconds="${ms}"/>`,

  calls: {
    invite: send(calling("INVITE", 1, PLAIN_TO, sdp(), INVITE_BRANCH), AGAIN),
    /** We are to say first what we can do. */
    inviteWithoutOffer: send(calling("INVITE", 1, PLAIN_TO, NO_BODY, INVITE_BRANCH), AGAIN),
    trying: '<recv response="100" optional="true"/>',
    tried: '<recv response="100"/>',
    answered: '<recv response="200" rrs="true"/>',
    ack: send(calling("ACK", 1, TAGGED_TO)),
    ackWithAnswer: send(calling("ACK", 1, TAGGED_TO, sdp())),
    refused: (status: number) =>
      `<recv response="${status}"/>${send(calling("ACK", 1, "[last_To:]", NO_BODY, INVITE_BRANCH))}`,
    cancel: `${send(calling("CANCEL", 1, PLAIN_TO, NO_BODY, INVITE_BRANCH))}<recv response="200"/>`,
    hangup: `${send(calling("BYE", 2, TAGGED_TO), AGAIN)}<recv response="200"/>`,
    bye: `<recv request="BYE"/>${send(["SIP/2.0 200 OK", "[last_Via:]", "[last_From:]", "[last_To:]", "[last_Call-ID:]", "[last_CSeq:]", NO_BODY].join("\n"))}`,
  },
} as const;

export interface Sipp {
  port: number;
  /** Where it sends audio back from. */
  mediaPort: number;
  /** Kills it, as a machine that loses its power. */
  kill(): void;
  /** When it has run its calls. @throws Error with what it says when one of them went wrong */
  succeeded(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A sipp that plays a server for so many calls, and then ends.
 * @param options `remote`: the port of ours that it calls instead, as a client; `address`: from where
 */
export async function startSipp(
  scenario: readonly string[],
  options: {
    calls?: number;
    args?: readonly string[];
    remote?: { port: number; number: string };
    address?: string;
    /** Its own, where another sipp has had it before. */
    port?: number;
  } = {},
): Promise<Sipp> {
  const { remote, address = "127.0.0.1" } = options;
  const directory = await mkdtemp(join(tmpdir(), "outreach-sipp-"));
  const file = join(directory, "scenario.xml");
  await writeFile(file, `<?xml version="1.0"?><scenario name="test">${scenario.join("\n")}</scenario>`);
  const port = options.port ?? (await freePort());
  const mediaPort = await freePort();
  const errors = join(directory, "errors.log");
  const child: ChildProcess = spawn(
    "sipp",
    [
      ...(remote ? [`127.0.0.1:${remote.port}`, "-s", remote.number] : []),
      ...["-sf", file, "-i", address, "-mi", address, "-p", String(port), "-mp", String(mediaPort)],
      ...["-m", String(options.calls ?? 1), "-nostdin", "-rtp_echo", "-trace_err", "-error_file", errors],
      ...(options.args ?? []),
    ],
    { cwd: directory, stdio: "ignore" },
  );
  const ended = once(child, "exit") as Promise<[number | null]>;
  await until(
    () => child.exitCode !== null || isListening(port, options.args?.includes("t1") ?? false),
    "sipp listens",
  );
  return {
    port,
    mediaPort,
    kill: () => void child.kill("SIGKILL"),
    async succeeded() {
      const [code] = await ended;
      if (code === 0) return;
      const said = await readFile(errors, "utf8").catch(() => "");
      throw new Error(`sipp ended with ${code}: ${said.slice(0, 2_000)}`);
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function isListening(port: number, isTcp: boolean): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return readFileSync(isTcp ? "/proc/net/tcp" : "/proc/net/udp", "utf8").includes(`:${hex} 00000000:0000`);
}

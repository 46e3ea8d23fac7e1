import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program of Debian's that speaks SIP, for the tests against somebody else's. */
export function peerProgram(name: string, debianPackage: string): boolean {
  const isThere = existsSync(`/usr/bin/${name}`);
  if (!isThere && process.env.REQUIRE_ALL === "1")
    throw new Error(`There is no ${name}: apt-get install ${debianPackage}`);
  return isThere;
}

export async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}

export async function until(isSo: () => boolean, what: string, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const REPEATED = "[last_Via:]\n[last_From:]\n[last_To:];tag=sipp[call_number]\n[last_Call-ID:]";
const CONTACT = "Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>";
const SDP = [
  "Content-Type: application/sdp",
  "Content-Length: [len]",
  "",
  "v=0",
  "o=sipp 1 1 IN IP4 [local_ip]",
  "s=-",
  "c=IN IP4 [media_ip]",
  "t=0 0",
  "m=audio [media_port] RTP/AVP 0 101",
  "a=rtpmap:101 telephone-event/8000",
].join("\n");

const send = (text: string, attributes = "") => `<send ${attributes}><![CDATA[\n${text}\n\n]]></send>`;
const reply = (
  status: number,
  reason: string,
  cseq = "[last_CSeq:]",
  more = `${CONTACT}\nContent-Length: 0`,
) => `SIP/2.0 ${status} ${reason}\n${REPEATED}\n${cseq}\n${more}`;

/** The steps of a scenario of a server, as sipp's own language has them. */
export const steps = {
  invite: `<recv request="INVITE" rrs="true"><action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="from"/>
    <ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/></action></recv>`,
  trying: send(reply(100, "Trying")),
  ringing: send(reply(180, "Ringing")),
  progress: send(reply(183, "Session Progress", "[last_CSeq:]", `${CONTACT}\n${SDP}`)),
  answer: send(reply(200, "OK", "[last_CSeq:]", `${CONTACT}\n${SDP}`), 'retrans="500"'),
  refuse: (status: number) => send(reply(status, "Said"), 'retrans="500"'),
  ack: '<recv request="ACK"/>',
  cancel: `<recv request="CANCEL"/>${send(reply(200, "OK"))}${send(
    reply(487, "Request Terminated", "CSeq: 1 INVITE"),
    'retrans="500"',
  )}`,
  bye: `<recv request="BYE"/>${send(reply(200, "OK"))}`,
  hangup: `${send(
    [
      "BYE [next_url] SIP/2.0",
      "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
      "From:[$to];tag=sipp[call_number]",
      "To:[$from]",
      "[last_Call-ID:]",
      "CSeq: 7 BYE",
      "Max-Forwards: 70",
      "Content-Length: 0",
    ].join("\n"),
    'retrans="500"',
  )}<recv response="200"/>`,
  pause: (ms: number) => `<pause milliseconds="${ms}"/>`,
} as const;

export interface Sipp {
  port: number;
  /** Kills it, as a machine that loses its power. */
  kill(): void;
  /** When it has run its calls. @throws Error with what it says when one of them went wrong */
  succeeded(): Promise<void>;
  close(): Promise<void>;
}

/** A sipp that plays a server for so many calls, and then ends. */
export async function startSipp(
  scenario: readonly string[],
  options: { calls?: number; args?: readonly string[] } = {},
): Promise<Sipp> {
  const directory = await mkdtemp(join(tmpdir(), "outreach-sipp-"));
  const file = join(directory, "scenario.xml");
  await writeFile(
    file,
    `<?xml version="1.0"?><scenario name="test">${scenario.join("\n")}<Reference variables="from,to"/></scenario>`,
  );
  const [port, mediaPort] = [await freePort(), await freePort()];
  const errors = join(directory, "errors.log");
  const child: ChildProcess = spawn(
    "sipp",
    [
      ...[
        "-sf",
        file,
        "-i",
        "127.0.0.1",
        "-mi",
        "127.0.0.1",
        "-p",
        String(port),
        "-mp",
        String(mediaPort & ~1),
      ],
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

import { createSocket } from "node:dgram";
import { once } from "node:events";

/** What the server says of a name: its records, or how it fails. A name it has never heard of does not exist. */
export type DnsAnswer =
  | { A?: readonly string[] | "servfail" | "silent"; AAAA?: readonly string[] | "servfail" | "silent" }
  | { cname: string }
  | "nxdomain"
  | "servfail"
  | "silent";

export interface TestDnsServer {
  /** `127.0.0.1:port`, as `Resolver.setServers` takes it. */
  readonly address: string;
  /** Every question asked so far, as `name type`. */
  readonly questions: string[];
  set(name: string, answer: DnsAnswer): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;

/** A real, tiny name server on a UDP port of loopback, so that the real resolver can be tested without the internet. */
export async function startDnsServer(names: Record<string, DnsAnswer> = {}): Promise<TestDnsServer> {
  const answers = new Map(Object.entries(names));
  const questions: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${name} ${type === TYPE_A ? "A" : type === TYPE_AAAA ? "AAAA" : type}`);
    const reply = answer(query.subarray(0, end), type, name, answers);
    if (reply) socket.send(reply, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set: (name, value) => void answers.set(name, value),
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(
  question: Buffer,
  type: number,
  name: string,
  answers: ReadonlyMap<string, DnsAnswer>,
): Buffer | null {
  const records: Buffer[] = [];
  let known = answers.get(name);
  if (typeof known === "object" && "cname" in known) {
    const target = encodeName(known.cname);
    records.push(record(TYPE_CNAME, Buffer.from([0xc0, HEADER_BYTES]), target));
    name = known.cname;
    known = answers.get(name);
  }
  if (known === "silent") return null;
  if (known === "servfail") return reply(question, 2, []);
  if (known === undefined || known === "nxdomain" || "cname" in known) return reply(question, 3, records);
  const addresses = (type === TYPE_A ? known.A : type === TYPE_AAAA ? known.AAAA : undefined) ?? [];
  if (addresses === "silent") return null;
  if (addresses === "servfail") return reply(question, 2, []);
  for (const address of addresses) records.push(record(type, encodeName(name), addressBytes(address)));
  return reply(question, 0, records);
}

function reply(question: Buffer, code: number, records: readonly Buffer[]): Buffer {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}

function record(type: number, name: Buffer, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  // A lifetime of 0 s: nothing on the way may remember the answer.
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes IPv6 in one canonical form, without dotted parts.
  const [head, tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = head === "" ? [] : head!.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  const bytes = Buffer.alloc(16);
  groups.forEach((group, index) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  });
  return bytes;
}

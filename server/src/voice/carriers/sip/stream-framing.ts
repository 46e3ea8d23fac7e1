import { longName } from "./message.ts";
import { contentLength, endOfHead } from "./parse-message.ts";

/** Cuts what comes over a connection into messages (RFC 3261, 18.3): by the empty line, and by the length that is told. */
export interface StreamFraming {
  /**
   * @returns whole messages, each in bytes of its own; `pings` is how many double line ends came between them (RFC 5626, 4.4.1)
   * @throws Error when it can't go on: a message that is too long, or tells no length that can be read
   */
  push(bytes: Buffer): { messages: Buffer[]; pings: number };
}

const MAX_MESSAGE = 128 * 1024;

export function createStreamFraming(): StreamFraming {
  let waiting: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
      waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
      const messages: Buffer[] = [];
      let pings = 0;
      for (;;) {
        while (waiting[0] === 13 || waiting[0] === 10) {
          if (waiting.length >= 4 && waiting.toString("latin1", 0, 4) === "\r\n\r\n") {
            pings++;
            waiting = waiting.subarray(4);
          } else if (waiting.length < 4 && "\r\n\r\n".startsWith(waiting.toString("latin1"))) {
            return { messages, pings };
          } else waiting = waiting.subarray(1);
        }
        const head = endOfHead(waiting);
        if (!head) {
          if (waiting.length > MAX_MESSAGE) throw new Error("A message's headers are too long.");
          return { messages, pings };
        }
        const length = contentLength(lengthHeaders(waiting.toString("latin1", 0, head.at))) ?? 0;
        if (length === "wrong" || length > MAX_MESSAGE) throw new Error("A message's length can't be read.");
        if (waiting.length < head.bodyAt + length) return { messages, pings };
        messages.push(Buffer.from(waiting.subarray(0, head.bodyAt + length)));
        waiting = waiting.subarray(head.bodyAt + length);
      }
    },
  };
}

function lengthHeaders(head: string): { name: string; value: string }[] {
  return head.split(/\r?\n/).flatMap((line) => {
    const [, name = "", value = ""] = /^([A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    const long = longName(name);
    return long === "content-length" ? [{ name: long, value }] : [];
  });
}

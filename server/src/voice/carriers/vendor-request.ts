import { Agent, type Dispatcher, errors, request } from "undici";
import type { Clock } from "../../clock.ts";

/** A vendor didn't do what it was asked for. The message holds no number, no key and nothing longer than a line. */
export class VendorTrouble extends Error {
  override readonly name = "VendorTrouble";
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  /** The vendor's own code; null when it told none. */
  readonly code: string | null;
  /** Nothing can have come of it: it never arrived, or it was refused for now. Milliseconds to wait before it is sent again. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    told: { status?: number | null; code?: string | null; retryAfterMs?: number | null } = {},
  ) {
    super(message);
    this.status = told.status ?? null;
    this.code = told.code ?? null;
    this.retryAfterMs = told.retryAfterMs ?? null;
  }

  /** The vendor has looked at it and said no: nothing has come of it. */
  get isRefusal(): boolean {
    return this.retryAfterMs !== null || (this.status !== null && this.status >= 400 && this.status < 500);
  }
}

export interface VendorRequestOptions {
  /** As it is called in messages. */
  vendor: string;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  /** What an error's body tells: the vendor's code, and words for it. */
  readError(body: unknown): { code: string | null; words: unknown };
  /** For the answer to begin, and to go on. Milliseconds of real time. */
  withinMs?: number;
}

export interface VendorRequests {
  /**
   * Asks for JSON. What nothing can have come of is sent again, twice at most.
   * @returns the answer's body; null for what isn't JSON
   * @throws VendorTrouble
   */
  ask(method: "GET" | "POST", url: string, body?: { type: string; text: string }): Promise<unknown>;
  close(): Promise<void>;
}

const WITHIN_MS = 10_000;
const CONNECT_WITHIN_MS = 5_000;
const MOST_RETRIES = 2;
const RETRY_AFTER_MS = 250;
/** Whoever waits for a call to be placed doesn't wait for longer. */
const LONGEST_RETRY_AFTER_MS = 2_000;
const MOST_ANSWER_BYTES = 64 * 1024;
/** Before anything was sent. */
const UNREACHABLE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** Requests to a vendor's API, over connections of their own. */
export function createVendorRequests(options: VendorRequestOptions): VendorRequests {
  const { vendor, clock, withinMs = WITHIN_MS } = options;
  const dispatcher = new Agent({ connect: { timeout: CONNECT_WITHIN_MS } });
  const closed = new AbortController();

  async function once(method: "GET" | "POST", url: string, body?: { type: string; text: string }) {
    try {
      const answer = await request(url, {
        dispatcher,
        method,
        headers: {
          accept: "application/json",
          ...options.headers,
          ...(body ? { "content-type": body.type } : {}),
        },
        body: body?.text ?? null,
        headersTimeout: withinMs,
        bodyTimeout: withinMs,
        signal: closed.signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: await readJson(answer.body) };
    } catch (error) {
      throw troubleOf(vendor, error);
    }
  }

  function refusal(answer: Awaited<ReturnType<typeof once>>): VendorTrouble {
    const { status, headers, body } = answer;
    const { code, words } = options.readError(body);
    const told = [code === null ? "" : printable(code), printable(words)].filter(Boolean).join(" ");
    const afterMs = Number(headers["retry-after"] ?? Number.NaN) * 1_000;
    const waitMs = afterMs >= 0 ? afterMs : RETRY_AFTER_MS;
    return new VendorTrouble(`${vendor} answered ${status}${told === "" ? "" : ` (${told})`}`, {
      status,
      code,
      retryAfterMs: status === 429 && waitMs <= LONGEST_RETRY_AFTER_MS ? waitMs : null,
    });
  }

  return {
    async ask(method, url, body) {
      for (let retries = 0; ; retries++) {
        try {
          const answer = await once(method, url, body);
          if (answer.status >= 200 && answer.status < 300) return answer.body;
          throw refusal(answer);
        } catch (error) {
          const { retryAfterMs } = error as VendorTrouble;
          if (retryAfterMs === null || retries >= MOST_RETRIES || closed.signal.aborted) throw error;
          await new Promise<void>((resolve) => clock.schedule(clock.now() + retryAfterMs, resolve));
        }
      }
    },
    async close() {
      closed.abort();
      await dispatcher.destroy();
    },
  };
}

/** @returns null for what isn't JSON, or is longer than any answer should be */
async function readJson(body: Dispatcher.ResponseData["body"]): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) return null;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    return null;
  }
}

/** What an operator may read: short, in one line, and without anybody's number. */
function printable(text: unknown): string {
  if (typeof text !== "string") return "";
  return text
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/\+?\d[\d ().-]{5,}\d/g, "…")
    .trim()
    .slice(0, 120);
}

function troubleOf(vendor: string, error: unknown): VendorTrouble {
  if (error instanceof errors.ConnectTimeoutError)
    return new VendorTrouble(`${vendor} can't be reached: no connection in time`, { retryAfterMs: 0 });
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return new VendorTrouble(`${vendor} didn't answer in time`);
  const code = String(member(error, "code") ?? member(member(error, "cause"), "code") ?? "");
  if (UNREACHABLE.includes(code))
    return new VendorTrouble(`${vendor} can't be reached: ${code}`, { retryAfterMs: RETRY_AFTER_MS });
  return new VendorTrouble(`the connection to ${vendor} broke`);
}

/** A field of what came from outside; undefined where there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

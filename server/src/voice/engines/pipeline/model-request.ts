import { type Dispatcher, errors, request } from "undici";
import type { TroubleKind } from "../engine-meter.ts";

/** One server of the chain. */
export interface ModelServer {
  /** The base that OpenAI's clients take: `https://api.openai.com/v1`. */
  url: string;
  apiKey: string | null;
  model: string;
}

/** A server didn't do what it was asked for. The message holds nothing that it said: that may quote a key. */
export class ModelTrouble extends Error {
  override readonly name = "ModelTrouble";
  readonly kind: TroubleKind;
  /** Null: asking once more is of no use. */
  readonly retryAfterMs: number | null;

  constructor(kind: TroubleKind, message: string, retryAfterMs: number | null = RETRY_AFTER_MS) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ModelAsk {
  server: ModelServer;
  /** Below the server's base: `/chat/completions`. */
  path: string;
  contentType: string;
  body: string | Buffer;
  dispatcher: Dispatcher;
  /** To the head of the answer, and from one part of it to the next. */
  withinMs: number;
  signal: AbortSignal;
}

const RETRY_AFTER_MS = 250;
/** Nobody on the phone waits for longer. */
const LONGEST_RETRY_AFTER_MS = 2_000;

/** @throws ModelTrouble; the signal's reason when that was aborted */
export async function askModel(ask: ModelAsk): Promise<Dispatcher.ResponseData> {
  const { server, path, signal } = ask;
  const base = new URL(server.url).pathname === "/" ? `${server.url.replace(/\/$/, "")}/v1` : server.url;
  try {
    const answer = await request(base.endsWith(path) ? base : `${base}${path}`, {
      dispatcher: ask.dispatcher,
      method: "POST",
      headers: {
        "content-type": ask.contentType,
        ...(server.apiKey === null ? {} : { authorization: `Bearer ${server.apiKey}` }),
      },
      body: ask.body,
      headersTimeout: ask.withinMs,
      bodyTimeout: ask.withinMs,
      signal,
    });
    if (answer.statusCode === 200) return answer;
    answer.body.on("error", () => undefined).destroy();
    throw refusal(answer);
  } catch (error) {
    signal.throwIfAborted();
    throw troubleOf(error);
  }
}

function refusal({ statusCode, headers }: Dispatcher.ResponseData): ModelTrouble {
  const message = `a model server answered ${statusCode}`;
  const afterMs = Number(headers["retry-after"] ?? Number.NaN) * 1_000;
  const retryAfterMs = afterMs >= 0 ? afterMs : RETRY_AFTER_MS;
  const canRetry = (statusCode === 429 || statusCode >= 500) && retryAfterMs <= LONGEST_RETRY_AFTER_MS;
  const kind = statusCode === 429 ? "rate_limited" : "refused";
  return new ModelTrouble(kind, message, canRetry ? retryAfterMs : null);
}

/** What went wrong on the way, in a model server's terms. */
export function troubleOf(error: unknown): ModelTrouble {
  if (error instanceof ModelTrouble) return error;
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError)
    return new ModelTrouble("timeout", "a model server didn't answer in time");
  if (error instanceof errors.BodyTimeoutError)
    return new ModelTrouble("silent", "a model server fell silent in the middle of its answer");
  return new ModelTrouble("dropped", "the connection to a model server broke");
}

/** Tries it a second time where that may help. @throws ModelTrouble of the last attempt */
export async function twice<Result>(
  onTrouble: (kind: TroubleKind) => void,
  signal: AbortSignal,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    signal.throwIfAborted();
    const trouble = troubleOf(error);
    onTrouble(trouble.kind);
    if (trouble.retryAfterMs === null) throw trouble;
    await pause(trouble.retryAfterMs, signal);
  }
  try {
    return await action();
  } catch (error) {
    signal.throwIfAborted();
    const trouble = troubleOf(error);
    onTrouble(trouble.kind);
    throw trouble;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

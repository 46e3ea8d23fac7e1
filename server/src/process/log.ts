import pino, { type Logger } from "pino";

/**
 * The service's log, on stderr: stdout is left to what the start has to tell a person. JSON lines for machines, written
 * in the background; on a terminal a line to read. pino writes what is left when the process ends.
 */
export function openLog(level: string): Logger {
  if (process.stderr.isTTY) {
    return pino(
      { level, base: null, serializers },
      { write: (json) => void process.stderr.write(readableLine(json)) },
    );
  }
  // Lines are written some together, at the latest after this long: a write for each costs a busy service.
  const destination = pino.destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 200 });
  // Whoever read the log has gone: that is no reason to end the service.
  destination.on("error", () => {});
  return pino({ level, base: null, serializers }, destination);
}

/** Errors in the log: nothing beyond these fields, since the database's errors carry rows (`detail`, `where`) and its client. */
const serializers = { err: plainError };

interface PlainError {
  type: string;
  message: string;
  stack?: string | undefined;
  code?: unknown;
  cause?: PlainError;
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
    ...(error.cause === undefined ? {} : { cause: plainError(error.cause) }),
  };
}

/** `{"level":30,"time":…,"msg":"ready","port":8080}` as `09:12:01 info  ready port=8080`. */
export function readableLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? String(level);
  const words = Object.entries(fields).map(([key, value]) => `${key}=${inline(value)}`);
  const stack = typeof err === "object" && err !== null ? stackOf(err) : "";
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  return `${at} ${name.padEnd(5)} ${[String(msg ?? ""), ...words].join(" ")}\n${stack}`;
}

function inline(value: unknown): string {
  return typeof value === "string" && !/[\s"]/.test(value) ? value : JSON.stringify(value);
}

function stackOf(error: object): string {
  const text =
    "stack" in error && typeof error.stack === "string" ? error.stack : JSON.stringify(error, null, 2);
  return `${text.replace(/^/gm, "    ")}\n`;
}

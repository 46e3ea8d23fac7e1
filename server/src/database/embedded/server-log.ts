export type Log = (level: "info" | "warn" | "error", message: string, fields?: object) => void;

/** What every start and every stop says. */
const ROUTINE = [
  /^starting PostgreSQL /,
  /^listening on /,
  /^database system was shut down at /,
  /^database system is (ready to accept connections|shut down)/,
  /^received (fast|smart) shutdown request/,
  /^aborting any active transactions/,
  /^background worker ".*" \(PID \d+\) exited with exit code 1$/,
  /^shutting down$/,
  /^checkpoint (starting|complete): /,
  /^terminating connection due to administrator command$/,
  /^database "outreach" does not exist$/,
  /^the database system is (starting up|shutting down|not yet accepting connections)$/,
];

const LINE = /^(LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC):\s+(.*)$/;
const REMEMBERED_LINES = 20;

interface ServerLog {
  lastLines(): string;
  /** Settles when nothing can come any more. */
  ended: Promise<void>;
}

/**
 * Passes on what PostgreSQL writes to stderr, without the routine of starts and stops. The settings keep everything that
 * could hold personal data (failed statements and their values) out of it at the source.
 */
export function readServerLog(stderr: NodeJS.ReadableStream, log: Log): ServerLog {
  const remembered: string[] = [];
  let rest = "";
  const take = (line: string) => {
    if (line.trim() === "") return;
    remembered.push(line);
    if (remembered.length > REMEMBERED_LINES) remembered.shift();
    const [, severity, message] = LINE.exec(line) ?? [undefined, undefined, line.trim()];
    if (message === undefined || ROUTINE.some((pattern) => pattern.test(message))) return;
    log(severity === "PANIC" ? "error" : "warn", `PostgreSQL: ${message}`);
  };
  stderr.setEncoding("utf8");
  stderr.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  const ended = new Promise<void>((resolve) => {
    stderr.on("end", () => {
      take(rest);
      resolve();
    });
  });
  return { lastLines: () => remembered.join("\n"), ended };
}

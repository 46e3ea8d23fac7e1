import type { Clock } from "../../../clock.ts";
import { ConnectionFailed, openRealtimeSocket, type RealtimeSocket, type Wires } from "./realtime-socket.ts";
import { type Dialect, type SessionSettings, sessionSettings } from "./session-settings.ts";

export type ServerMessage = Readonly<Record<string, unknown>>;

export interface OpenSessionOptions {
  clock: Clock;
  url: string;
  apiKey: string | null;
  wires: Wires;
  settings: SessionSettings;
  /** What the server turned out to speak. Kept for the next sessions. */
  dialect: { current: Dialect };
  withinMs: number;
  onMessage(message: ServerMessage): void;
  onGarbage(): void;
  onClosed(): void;
}

const UPDATE_ID = "outreach-session";

/**
 * Connects, and resolves once the server has taken the settings.
 * @throws ConnectionFailed
 */
export async function openRealtimeSession(options: OpenSessionOptions): Promise<RealtimeSocket> {
  const { clock, dialect, settings, withinMs } = options;
  let taken = false;
  let tell: (outcome: "taken" | "closed" | { refused: string }) => void = () => undefined;
  const outcome = new Promise<"taken" | "closed" | { refused: string }>((resolve) => (tell = resolve));
  const deadline = clock.now() + withinMs;
  const socket = await openRealtimeSocket({
    ...options,
    onMessage(message) {
      if (taken) return options.onMessage(message);
      if (message.type === "session.updated") {
        taken = true;
        tell("taken");
      } else if (message.type === "error") {
        if (dialect.current === "current" && isAboutSettings(message)) {
          dialect.current = "older";
          socket.send(update(settings, dialect.current));
        } else tell({ refused: errorWords(message) });
      }
    },
    onClosed() {
      if (taken) options.onClosed();
      else tell("closed");
    },
  });
  const cancel = clock.schedule(deadline, () => tell({ refused: "silence" }));
  socket.send(update(settings, dialect.current));
  const result = await outcome;
  cancel();
  if (result === "taken") return socket;
  socket.close();
  // Perhaps it was this call's settings that it stumbled over, and not the way they were put.
  dialect.current = "current";
  throw new ConnectionFailed(
    result === "closed"
      ? "the realtime server closed the connection at once"
      : `the realtime server didn't take the session's settings: ${result.refused}`,
  );
}

function update(settings: SessionSettings, dialect: Dialect): object {
  return { type: "session.update", event_id: UPDATE_ID, session: sessionSettings(settings, dialect) };
}

/** A server of the older interface stumbles over what it doesn't know. */
function isAboutSettings(message: ServerMessage): boolean {
  const { type, param, code } = errorOf(message);
  const words = [type, param, code].join(" ");
  return (
    /session|unknown_parameter|invalid_request|invalid_value|missing_required/.test(words) &&
    !/key|auth|quota|model/.test(words)
  );
}

/** Its kind and the setting that it is about. */
function errorWords(message: ServerMessage): string {
  const { param } = errorOf(message);
  return param === "" ? errorCode(message) : `${errorCode(message)} (${param.slice(0, 64)})`;
}

/** What kind of error it is. Never its message: that may quote a key, or what was said. */
export function errorCode(message: ServerMessage): string {
  const { code, type } = errorOf(message);
  return (code || type || "unknown").slice(0, 64);
}

function errorOf(message: ServerMessage): { type: string; code: string; param: string } {
  const error = message.error;
  const fields = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  return { type: text("type"), code: text("code"), param: text("param") };
}

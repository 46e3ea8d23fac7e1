import type Telnyx from "telnyx";

/** One mistake in a command, as Telnyx's API would tell of it. */
export interface CommandProblem {
  code: string;
  title: string;
  detail: string;
  pointer: string;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length > 0;
const isE164: Check = (value) => typeof value === "string" && /^\+[1-9]\d{6,14}$/.test(value);
const isOneOf =
  (...values: string[]): Check =>
  (value) =>
    values.includes(value as string);
const isUrl =
  (...protocols: string[]): Check =>
  (value) =>
    typeof value === "string" && URL.canParse(value) && protocols.includes(new URL(value).protocol);
/** Strict: what Node reads leniently, Telnyx refuses. */
const isBase64: Check = (value) =>
  typeof value === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
const isWhole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

const common = {
  client_state: isBase64,
  command_id: isText,
  webhook_url: isUrl("http:", "https:"),
  webhook_url_method: isOneOf("POST", "GET"),
  stream_url: isUrl("ws:", "wss:"),
  stream_track: isOneOf("inbound_track", "outbound_track", "both_tracks"),
  stream_codec: isOneOf("PCMU", "PCMA", "G722", "OPUS", "AMR-WB", "L16", "default"),
  stream_bidirectional_mode: isOneOf("mp3", "rtp"),
  stream_bidirectional_codec: isOneOf("PCMU", "PCMA", "G722", "OPUS", "AMR-WB", "L16"),
};

/** The fields that are taken, by the names of Telnyx's own types. Any other is a mistake of ours. */
const dial = {
  ...common,
  connection_id: isText,
  to: isE164,
  from: isE164,
  timeout_secs: isWhole(5, 600),
} satisfies { [name in keyof Telnyx.CallDialParams]?: Check };
const answer = common satisfies { [name in keyof Telnyx.Calls.ActionAnswerParams]?: Check };
const hangup = {
  client_state: isBase64,
  command_id: isText,
} satisfies { [name in keyof Telnyx.Calls.ActionHangupParams]?: Check };
const reject = {
  ...hangup,
  cause: isOneOf("CALL_REJECTED", "USER_BUSY"),
} satisfies { [name in keyof Telnyx.Calls.ActionRejectParams]?: Check };

const COMMANDS: Readonly<Record<string, { fields: Readonly<Record<string, Check>>; required: string[] }>> = {
  dial: { fields: dial, required: ["connection_id", "to", "from"] },
  answer: { fields: answer, required: [] },
  hangup: { fields: hangup, required: [] },
  reject: { fields: reject, required: ["cause"] },
};

/** What is wrong with the body of a command, strictly; null where there is no such command. */
export function problemsOf(command: string, body: unknown): CommandProblem[] | null {
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command]! : null;
  if (known === null) return null;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return [{ code: "10015", title: "Bad Request", detail: "The body must be an object.", pointer: "/" }];
  const given = body as Record<string, unknown>;
  const missing = known.required
    .filter((name) => given[name] === undefined)
    .map((name) => problem("10004", "Missing required parameter", `${name} is missing.`, name));
  const wrong = Object.entries(given)
    .filter(([name, value]) => !known.fields[name]?.(value))
    .map(([name]) => problem("10015", "Bad Request", `${name} isn't right.`, name));
  return [...missing, ...wrong];
}

function problem(code: string, title: string, detail: string, name: string): CommandProblem {
  return { code, title, detail, pointer: `/${name}` };
}

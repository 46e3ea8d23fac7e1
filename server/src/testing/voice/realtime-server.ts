import type { IncomingHttpHeaders } from "node:http";
import { type ServerSocket, webSocketServer } from "./websocket-server.ts";

type Message = Record<string, unknown> & { type: string };

/** What the model does when it is asked for an answer. */
export type ModelTurn =
  | { says: string }
  | { says?: string; calls: { name: string; arguments: string; callId?: string }[] }
  /** Says nothing at all. */
  | { silent: true }
  /** Begins to say this, and then: nothing more, a broken connection, an end for this reason. */
  | { halfOf: string; next: "silence" | "drop" | "max_output_tokens" | "content_filter" }
  | { fails: string }
  | { garbage: number };

export interface RealtimeServer {
  readonly url: string;
  /** Every message of the clients', with the connection it came on, counted from 0. */
  readonly received: (Message & { connection: number })[];
  readonly connections: { headers: IncomingHttpHeaders; path: string }[];
  of(type: string): (Message & { connection: number })[];
  /** The next answers; when they are used up it says what it heard. */
  script(...turns: ModelTurn[]): void;
  /** The words of the next speech that is committed. Null: it isn't transcribed. */
  hears(text: string | null): void;
  /** What becomes of the next handshakes; null takes them. */
  refuse(how: null | "never" | { status: number; headers?: Record<string, string> }, times?: number): void;
  /** Breaks all connections. */
  drop(): void;
  /** How many connections are open. */
  live(): number;
  close(): Promise<void>;
}

const MS_PER_CHARACTER = 60;
const PIECE_MS = 200;

/** A server of the realtime protocol in a test's hands. @param older as its first version spoke */
export async function realtimeServer({
  older = false,
  takesSettings = true,
  saysGoodbye = true,
} = {}): Promise<RealtimeServer> {
  const received: RealtimeServer["received"] = [];
  const connections: RealtimeServer["connections"] = [];
  const turns: ModelTurn[] = [];
  const words: (string | null)[] = [];
  const sockets = new Set<ServerSocket>();
  let refusals: Parameters<RealtimeServer["refuse"]>[0][] = [];
  let ids = 0;
  const name = (type: string) => (older ? type.replace("output_audio", "audio") : type);

  const server = await webSocketServer(
    () => refusals.shift() ?? null,
    (socket) => {
      const connection = connections.length;
      connections.push({ headers: socket.request.headers, path: socket.request.url ?? "" });
      sockets.add(socket);
      socket.onClosed(() => sockets.delete(socket));
      const send = (type: string, fields: object = {}) =>
        socket.send(JSON.stringify({ type: name(type), event_id: `event-${++ids}`, ...fields }));
      let current: { id: string; cancelled: boolean } | null = null;
      let appended = 0;
      let lastText = "";

      const audio = (itemId: string, responseId: string, milliseconds: number) => {
        for (let sent = 0; sent < milliseconds; sent += PIECE_MS) {
          const bytes = Buffer.alloc(8 * Math.min(PIECE_MS, milliseconds - sent), 0x90);
          send("response.output_audio.delta", {
            response_id: responseId,
            item_id: itemId,
            delta: bytes.toString("base64"),
          });
        }
      };
      const say = (responseId: string, text: string, share = 1) => {
        const itemId = `item-${++ids}`;
        const of = { response_id: responseId, item_id: itemId };
        send("response.output_item.added", { ...of, item: { id: itemId, type: "message" } });
        const half = text.slice(0, Math.ceil(text.length * share));
        send("response.output_audio_transcript.delta", { ...of, delta: half });
        audio(itemId, responseId, half.length * MS_PER_CHARACTER);
        if (share < 1) return;
        send("response.output_audio.done", of);
        send("response.output_audio_transcript.done", { ...of, transcript: text });
        send("response.output_item.done", { ...of, item: { id: itemId, type: "message" } });
      };
      const respond = (message: Message) => {
        if (current) {
          return send("error", {
            error: {
              type: "invalid_request_error",
              code: "conversation_already_has_active_response",
              event_id: message.event_id,
            },
          });
        }
        const response = { id: `response-${++ids}`, cancelled: false };
        current = response;
        const { instructions = "" } = (message.response ?? {}) as { instructions?: string };
        const exact = /: ("(?:[^"\\]|\\.)*")$/.exec(instructions)?.[1];
        const turn: ModelTurn = exact
          ? { says: JSON.parse(exact) as string }
          : (turns.shift() ?? { says: `You said: ${lastText || "nothing"}.` });
        if ("garbage" in turn) {
          for (let index = 0; index < turn.garbage; index++) {
            if (index % 2 === 0) socket.send(`{"type": not json ${index}`);
            else socket.sendBinary(Buffer.from([1, 2, 3]));
          }
          return;
        }
        if ("silent" in turn) return;
        send("response.created", { response: { id: response.id } });
        const output: object[] = [];
        if ("halfOf" in turn) {
          say(response.id, turn.halfOf, 0.5);
          if (turn.next === "drop") setImmediate(() => socket.drop());
          if (turn.next === "silence" || turn.next === "drop") return;
        }
        if ("says" in turn && turn.says) say(response.id, turn.says);
        for (const call of "calls" in turn ? turn.calls : []) {
          const item = {
            id: `item-${++ids}`,
            type: "function_call",
            call_id: call.callId ?? `call-${++ids}`,
            name: call.name,
            arguments: call.arguments,
          };
          send("response.function_call_arguments.done", {
            response_id: response.id,
            ...item,
            item_id: item.id,
          });
          send("response.output_item.done", { response_id: response.id, item });
          output.push(item);
        }
        const failure = "fails" in turn ? turn.fails : null;
        const cutFor = "halfOf" in turn ? turn.next : null;
        // A little later, as a real one: there is time to cancel it.
        setImmediate(() => {
          if (current !== response) return;
          current = null;
          const ended = cutFor ? "incomplete" : "completed";
          const status = response.cancelled ? "cancelled" : failure ? "failed" : ended;
          send("response.done", {
            response: {
              id: response.id,
              status,
              ...(failure ? { status_details: { error: { code: failure } } } : {}),
              ...(cutFor ? { status_details: { type: "incomplete", reason: cutFor } } : {}),
              output,
              usage: { input_tokens: 100, output_tokens: 20 },
            },
          });
        });
      };

      send("session.created", { session: {} });
      socket.onMessage((text) => {
        const message = JSON.parse(text) as Message;
        received.push({ ...message, connection });
        switch (message.type) {
          case "session.update": {
            const { type } = message.session as { type?: string };
            if (!takesSettings) return;
            if (older && type !== undefined) {
              return send("error", {
                error: {
                  type: "invalid_request_error",
                  code: "unknown_parameter",
                  param: "session.type",
                  message: "Unknown parameter",
                },
              });
            }
            return send("session.updated", { session: {} });
          }
          case "input_audio_buffer.append":
            appended += Buffer.from(String(message.audio), "base64").length;
            return;
          case "input_audio_buffer.clear":
            appended = 0;
            return send("input_audio_buffer.cleared");
          case "input_audio_buffer.commit": {
            if (appended < 800) return send("error", { error: { code: "input_audio_buffer_commit_empty" } });
            appended = 0;
            const itemId = `item-${++ids}`;
            send("input_audio_buffer.committed", { item_id: itemId });
            const transcript = words.length > 0 ? words.shift()! : "Something.";
            lastText = transcript ?? "";
            if (transcript !== null) {
              send("conversation.item.input_audio_transcription.completed", { item_id: itemId, transcript });
            }
            return;
          }
          case "conversation.item.create": {
            const { content } = message.item as { content?: { text?: string }[] };
            if (content?.[0]?.text) lastText = content[0].text;
            return;
          }
          case "response.create":
            return respond(message);
          case "response.cancel": {
            if (!current) return send("error", { error: { code: "response_cancel_not_active" } });
            const { id } = current;
            current = null;
            return send("response.done", { response: { id, status: "cancelled", output: [] } });
          }
        }
      });
    },
    saysGoodbye,
  );

  return {
    url: server.url,
    received,
    connections,
    of: (type) => received.filter((message) => message.type === type),
    script: (...given) => void turns.push(...given),
    hears: (text) => void words.push(text),
    refuse(how, times = 1) {
      refusals = Array.from({ length: times }, () => how);
    },
    drop() {
      for (const socket of sockets) socket.drop();
    },
    live: () => sockets.size,
    close: server.close,
  };
}

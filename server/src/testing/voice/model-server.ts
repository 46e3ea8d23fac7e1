import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { wavFile } from "../../voice/speech/wav.ts";

type Role = "stt" | "llm" | "tts";

/** What a server does with a request. */
export type ServerTurn =
  | { says: string }
  | { says?: string; calls: { name: string; arguments: string }[] }
  | { status: number; headers?: Record<string, string> }
  /** Takes the request and never answers. */
  | { silent: true }
  /** Begins its answer, and then: nothing more, or a broken connection. */
  | { halfOf: string; next: "silence" | "drop" }
  | { garbage: true };

export interface ModelServer {
  readonly url: string;
  readonly requests: { role: Role; headers: IncomingHttpHeaders; body: Buffer }[];
  /** The bodies of requests to the chat model, and what speech was asked for. */
  chats(): { messages: { role: string; content: string }[]; tools?: unknown[]; temperature: number }[];
  sentences(): string[];
  /** What the next requests of this kind get; then: `Something.`, an echo, and sound. */
  script(role: Role, ...turns: ServerTurn[]): void;
  /** How many requests were given up by the client. */
  readonly aborted: { count: number };
  close(): Promise<void>;
}

const PATHS: Readonly<Record<string, Role>> = {
  "/v1/audio/transcriptions": "stt",
  "/v1/chat/completions": "llm",
  "/v1/audio/speech": "tts",
};
const RATE = 24_000;
const MS_PER_CHARACTER = 60;

/** Speech to text, a chat model and text to speech, as OpenAI's HTTP interface has them, in a test's hands. */
export async function modelServer(): Promise<ModelServer> {
  const requests: ModelServer["requests"] = [];
  const turns: Record<Role, ServerTurn[]> = { stt: [], llm: [], tts: [] };
  const aborted = { count: 0 };
  const sockets = new Set<Socket>();

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const role = PATHS[request.url ?? ""];
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (!role) return void response.writeHead(404).end();
    const body = Buffer.concat(parts);
    requests.push({ role, headers: request.headers, body });
    response.on("close", () => {
      if (!response.writableFinished) aborted.count++;
    });
    answer(role, turns[role].shift() ?? defaultTurn(role, body), response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const json = (role: Role) =>
    requests.filter((request) => request.role === role).map(({ body }) => JSON.parse(body.toString()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    aborted,
    chats: () => json("llm") as ReturnType<ModelServer["chats"]>,
    sentences: () => (json("tts") as { input: string }[]).map(({ input }) => input),
    script: (role, ...given) => void turns[role].push(...given),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function defaultTurn(role: Role, body: Buffer): ServerTurn {
  if (role === "stt") return { says: "Something." };
  const asked = JSON.parse(body.toString()) as {
    input?: string;
    messages?: { role: string; content: string }[];
  };
  if (role === "tts") return { says: asked.input ?? "" };
  return { says: `You said: ${asked.messages?.findLast((message) => message.role === "user")?.content}` };
}

function answer(role: Role, turn: ServerTurn, response: ServerResponse): void {
  if ("silent" in turn) return;
  if ("status" in turn) return void response.writeHead(turn.status, turn.headers).end("no");
  if ("garbage" in turn) return void response.writeHead(200).end('{"nothing": "of the kind"');
  const half = "halfOf" in turn ? turn : null;
  const text = half?.halfOf ?? ("says" in turn ? (turn.says ?? "") : "");
  const parts =
    role === "stt" ? [JSON.stringify({ text })] : role === "llm" ? chunksOf(text, turn) : soundOf(text);
  response.writeHead(200, {
    "content-type": role === "tts" ? "audio/wav" : role === "llm" ? "text/event-stream" : "application/json",
  });
  for (const part of half ? parts.slice(0, Math.ceil(parts.length / 2)) : parts) response.write(part);
  if (!half) response.end();
  else if (half.next === "drop") setTimeout(() => response.destroy(), 20);
}

function chunksOf(text: string, turn: ServerTurn): string[] {
  const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
  const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields }] });
  const calls = "calls" in turn ? turn.calls : [];
  return [
    delta({ role: "assistant", content: "" }),
    ...(text.match(/\S+\s*/g) ?? []).map((content) => delta({ content })),
    ...calls.flatMap(({ name, arguments: args }, index) => [
      delta({ tool_calls: [{ index, id: "same", type: "function", function: { name, arguments: "" } }] }),
      delta({ tool_calls: [{ index, function: { arguments: args.slice(0, 5) } }] }),
      delta({ tool_calls: [{ index, function: { arguments: args.slice(5) } }] }),
    ]),
    event({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] }),
    event({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 10 } }),
    "data: [DONE]\n\n",
  ];
}

function soundOf(text: string): Buffer[] {
  const samples = new Int16Array((RATE * text.length * MS_PER_CHARACTER) / 1_000).map(
    (_, at) => 6_000 * Math.sin(at / 10),
  );
  const file = wavFile(samples, RATE);
  // In odd pieces: a part may end in the middle of a sample.
  return Array.from({ length: Math.ceil(file.length / 10_001) }, (_, at) =>
    file.subarray(at * 10_001, (at + 1) * 10_001),
  );
}

import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { mediaSocketServer } from "../../../testing/voice/media-socket-pair.ts";

let server: Awaited<ReturnType<typeof mediaSocketServer>>;
const opened: WebSocket[] = [];
beforeEach(async () => {
  server = await mediaSocketServer();
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.terminate();
  await server.close();
});

const connect = async (path: string): Promise<"open" | number> => {
  const socket = new WebSocket(server.url + path);
  opened.push(socket);
  return new Promise((resolve) => {
    socket.on("open", () => resolve("open"));
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => undefined);
  });
};

describe("media sockets", () => {
  it("let in one connection for each token", async () => {
    const accepted: WebSocket[] = [];
    const { path } = server.sockets.expect("twilio", (socket) => accepted.push(socket));
    expect(path).toMatch(/^\/v1\/callbacks\/twilio\/media\/[\w-]{16,}$/);
    const outcomes = await Promise.all([connect(path), connect(path), connect(path)]);
    expect(outcomes.toSorted()).toEqual([404, 404, "open"]);
    expect(accepted).toHaveLength(1);
    expect(await connect(path)).toBe(404);
  });

  it("let nobody else in", async () => {
    const { path, cancel } = server.sockets.expect("twilio", () => undefined);
    expect(await connect(path.replace("twilio", "telnyx"))).toBe(404);
    expect(await connect(`${path}x`)).toBe(404);
    expect(await connect("/v1/callbacks/twilio/media/")).toBe(404);
    expect(await connect("/")).toBe(404);
    cancel();
    expect(await connect(path)).toBe(404);
  });

  it("break a connection that sends more than a message of the protocol can have", async () => {
    let ours: WebSocket | undefined;
    await connect(
      server.sockets.expect("twilio", (socket) => {
        ours = socket;
      }).path,
    );
    opened[0]!.send("x".repeat(17 * 1024));
    expect(await new Promise((resolve) => ours!.on("close", resolve))).toBe(1006);
  });

  it("are broken and refused once closed", async () => {
    const { path } = server.sockets.expect("twilio", () => undefined);
    await connect(path);
    const left = server.sockets.expect("twilio", () => undefined);
    const broken = once(opened[0]!, "close");
    server.sockets.close();
    await broken;
    expect(await connect(left.path)).toBe(404);
    expect(await connect(server.sockets.expect("twilio", () => undefined).path)).toBe(404);
  });
});

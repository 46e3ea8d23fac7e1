import { createServer, type Socket } from "node:net";

/**
 * A receiver in a process of its own. `/hang…` is accepted and never answered; anything else is answered 200 at once, and its age
 * (now less `occurred_at`) is noted for `/timed`. `GET /figures` tells what has arrived.
 *
 * It reads just enough HTTP for the two clients that are measured (`Content-Length`, keep-alive): a receiver on `node:http` takes
 * 70 µs of CPU a request, which on a machine of two cores is taken from the one that sends.
 */
let count = 0;
let ages: number[] = [];

const HEAD_END = "\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const LENGTH = /\r\ncontent-length: *(\d+)/i;

function onRequest(socket: Socket, head: string, body: Buffer): void {
  const [method, path] = head.split(" ", 2);
  if (method === "GET") {
    const figures = JSON.stringify({ count, ages });
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${figures.length}\r\n\r\n${figures}`,
    );
    if (path === "/figures?reset") {
      count = 0;
      ages = [];
    }
    return;
  }
  if (path!.startsWith("/hang")) return;
  count++;
  if (path === "/timed") ages.push(Date.now() - Date.parse(JSON.parse(body.toString()).occurred_at));
  socket.write(OK);
}

const server = createServer((socket) => {
  let waiting: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (;;) {
      const headEnd = waiting.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = waiting.toString("latin1", 0, headEnd);
      const bodyAt = headEnd + HEAD_END.length;
      const end = bodyAt + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (waiting.length < end) return;
      onRequest(socket, head, waiting.subarray(bodyAt, end));
      waiting = waiting.subarray(end);
    }
  });
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));

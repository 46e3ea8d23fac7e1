import { createServer } from "node:http";

/**
 * A receiver in a process of its own. `/hang…` is accepted and never answered; anything else is answered 200 at once, and its age
 * (now less `occurred_at`) is noted. `GET /figures` tells what has arrived.
 */
let count = 0;
let ages: number[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ count, ages }));
    if (request.url === "/figures?reset") {
      count = 0;
      ages = [];
    }
    return;
  }
  if (request.url?.startsWith("/hang")) {
    request.resume();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    count++;
    if (request.url === "/timed")
      ages.push(Date.now() - Date.parse(JSON.parse(Buffer.concat(chunks).toString()).occurred_at));
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));

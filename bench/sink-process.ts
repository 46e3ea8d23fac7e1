import { createServer } from "node:http";

/**
 * A receiver in a process of its own. `/hang…` is accepted and never answered; anything else is answered 200 at once, and its age
 * (now less `occurred_at`) is noted. `GET /figures` tells what has arrived, `GET /figures?at=100` (one at a time) as
 * soon as that many have.
 */
let count = 0;
let ages: number[] = [];
let awaited = Number.POSITIVE_INFINITY;
let answerAwaited = () => {};

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const at = Number(/at=(\d+)/.exec(request.url ?? "")?.[1] ?? 0);
    const answer = () => response.end(JSON.stringify({ count, ages }));
    if (count < at) {
      awaited = at;
      answerAwaited = answer;
      return;
    }
    answer();
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
    if (count >= awaited) {
      awaited = Number.POSITIVE_INFINITY;
      answerAwaited();
    }
    if (request.url === "/timed")
      ages.push(Date.now() - Date.parse(JSON.parse(Buffer.concat(chunks).toString()).occurred_at));
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));

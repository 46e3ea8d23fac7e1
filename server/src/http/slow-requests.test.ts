import { connect } from "node:net";
import { Readable } from "node:stream";
import pino from "pino";
import { expect, it } from "vitest";
import { newState } from "./guard.ts";
import { createHttpServer } from "./server.ts";

const server = () =>
  createHttpServer({
    prefixes: ["/v1"],
    routes: [],
    guard: { admit: () => ({}), allowWrite() {}, addLogFields() {} },
    formats: {},
    logger: pino({ level: "silent" }),
    docsUrl: "http://localhost/docs",
    trustedProxies: [],
  });

it("bounds the time that a request may take to arrive, and a client to take its answer", async () => {
  const app = server();
  const { headersTimeout, requestTimeout, timeout } = app.server;
  for (const limit of [headersTimeout, requestTimeout, timeout]) {
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThanOrEqual(300_000);
  }
  await app.close();
});

it("answers one that didn't arrive in time with the envelope", async () => {
  const app = server();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const answer = await new Promise<string>((resolve) => {
    let text = "";
    app.server.once("connection", (socket) =>
      app.server.emit(
        "clientError",
        Object.assign(new Error("slow"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }),
        socket,
      ),
    );
    connect(port, "127.0.0.1")
      .on("data", (data) => {
        text += data.toString();
      })
      .on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('"error":"invalid_request"');
  expect(answer).toContain("did not arrive completely in time");
  await app.close();
});

it("lets go of a client that takes nothing of its answer, and of what it was sent", async () => {
  let closed = false;
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
    destroy(_error, done) {
      closed = true;
      done(null);
    },
  });
  const app = server();
  app.get(
    "/endless",
    {
      onRequest: (request, _reply, done) => {
        request.state = newState(null);
        done();
      },
    },
    (_request, reply) => reply.send(endless),
  );
  app.server.timeout = 200;
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const client = connect(port, "127.0.0.1").on("error", () => {});
  client.pause();
  client.write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => closed, { timeout: 15_000 }).toBe(true);
  client.destroy();
  await app.close();
});

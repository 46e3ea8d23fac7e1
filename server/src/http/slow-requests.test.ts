import { connect } from "node:net";
import pino from "pino";
import { expect, it } from "vitest";
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

it("bounds the time that a request may take to arrive", async () => {
  const app = server();
  const { headersTimeout, requestTimeout } = app.server;
  for (const limit of [headersTimeout, requestTimeout]) {
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

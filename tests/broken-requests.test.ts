import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../server/src/testing/harness.ts";

/** Requests that HTTP clients can't be made to send. */

let app: TestService;
let key: string;
beforeAll(async () => {
  app = await startTestService();
  ({ key } = await app.newOrganization());
});
afterAll(() => app.close());

async function raw(
  text: string,
): Promise<{ status: number; head: string; body: { error?: string; request_id?: string } }> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(app.publicUrl).port) });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  const [head = "", body = ""] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: JSON.parse(body) };
}

describe("a broken request gets the envelope", () => {
  it.each([
    ["no HTTP at all", "what?\r\n\r\n", 400, "invalid_request"],
    [
      "headers over 16 KiB",
      `GET /v1/leads HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(20_000)}\r\n\r\n`,
      400,
      "invalid_request",
    ],
    [
      "a bad percent escape in the path",
      "GET /v1/leads/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      400,
      "invalid_request",
    ],
    [
      "a bad content length",
      "POST /v1/leads HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
      400,
      "invalid_request",
    ],
    [
      "two content lengths",
      "POST /v1/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
      400,
      "invalid_request",
    ],
    [
      "an unknown method",
      "PROPFIND /v1/leads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      404,
      "not_found",
    ],
    ["no host", "GET /v1/leads HTTP/1.1\r\nConnection: close\r\n\r\n", 401, "missing_api_key"],
    [
      "an odd expectation",
      "GET /v1/leads HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n",
      401,
      "missing_api_key",
    ],
    [
      "an unknown path with broken JSON",
      "POST /nope HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{",
      404,
      "not_found",
    ],
  ])("%s", async (_what, text, status, error) => {
    const answer = await raw(text);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.head.toLowerCase()).toContain(`x-request-id: ${answer.body.request_id}`);
  });

  it("refuses a body that isn't UTF-8", async () => {
    const body = new Uint8Array([...Buffer.from('{"phone_number":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
    const response = await app.call("/v1/leads", {
      key,
      body,
      headers: { "content-type": "application/json" },
    });
    expect(response).toMatchObject({ status: 400, body: { error: "invalid_json" } });
  });

  it("refuses a body over 1 MiB", async () => {
    const response = await app.call("/v1/leads", {
      key,
      json: { phone_number: "4155550100", notes: "x".repeat(1024 * 1024) },
    });
    expect(response).toMatchObject({ status: 413, body: { error: "payload_too_large" } });
  });

  it("refuses JSON nested beyond reason", async () => {
    const body = `{"phone_number":"4155550100","notes":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const response = await app.call("/v1/leads", {
      key,
      body,
      headers: { "content-type": "application/json", "idempotency-key": "deep" },
    });
    expect(response).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  it("keeps a client's own request id out of the answer", async () => {
    const response = await app.call("/v1/leads", { key, headers: { "x-request-id": "mine" } });
    expect(response.headers.get("x-request-id")).not.toBe("mine");
  });

  it("answers an oversized body also to a client that is still sending", async () => {
    const port = Number(new URL(app.publicUrl).port);
    for (const [path, bytes] of [
      ["/v1/leads", 5_000_000],
      ["/v1/leads/bulk", 12 * 1024 * 1024 + 10],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const socket = connect({ host: "127.0.0.1", port });
        let answer = "";
        const failures: Error[] = [];
        socket.on("data", (chunk) => {
          answer += chunk;
        });
        socket.on("error", (error) => failures.push(error));
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
        );
        // Piece by piece, without looking at the answer before the end, as simple clients do.
        const piece = Buffer.alloc(64 * 1024, "x");
        for (let sent = 0; sent < bytes; sent += piece.length) {
          const part = piece.subarray(0, Math.min(piece.length, bytes - sent));
          if (!socket.write(part)) await once(socket, "drain");
        }
        await expect.poll(() => answer).toContain("payload_too_large");
        expect(failures).toEqual([]);
        socket.destroy();
      }
    }
  });
});

describe("a path that only other methods have", () => {
  it.each([
    "GET /v1/leads/bulk",
    "PATCH /v1/leads/inspect-csv",
    "GET /public/v1/leads/bulk",
    "HEAD /v1/leads",
  ])("%s is unknown, with or without a key", async (request) => {
    const [method, path] = request.split(" ") as [string, string];
    for (const headers of [{}, { authorization: `Bearer ${key}` }] as Record<string, string>[]) {
      const response = await app.call(path, { method, headers });
      expect(response.status).toBe(404);
      if (method !== "HEAD")
        expect(response.body).toMatchObject({ error: "not_found", docs: expect.any(String) });
    }
  });

  it("takes a page number however large", async () => {
    const response = await app.call("/v1/leads?limit=99999999999999999999&offset=99999999999999999999", {
      key,
    });
    expect(response).toMatchObject({ status: 200, body: { data: [], limit: 200 } });
  });
});

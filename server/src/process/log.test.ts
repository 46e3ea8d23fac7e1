import { expect, it } from "vitest";
import { plainError, readableLine } from "./log.ts";

it("makes a line to read of a log entry", () => {
  const time = new Date(2026, 10, 21, 9, 12, 1).getTime();
  const line = readableLine(
    `${JSON.stringify({ level: 30, time, method: "GET", status: 200, path: "a b", msg: "request" })}\n`,
  );
  expect(line).toBe('09:12:01 info  request method=GET status=200 path="a b"\n');
});

it("keeps an error's stack, below its line", () => {
  const entry = {
    level: 50,
    time: 0,
    err: { type: "Error", message: "no", stack: "Error: no\n    at x" },
    msg: "failed",
  };
  expect(readableLine(JSON.stringify(entry))).toMatch(/ error failed\n {4}Error: no\n {8}at x\n$/);
});

it("keeps nothing of a database error that may hold a row", () => {
  const error = Object.assign(new Error("duplicate key value"), {
    code: "23505",
    detail: "Key (phone_number)=(+14155550100) already exists.",
    client: { password: "secret" },
  });
  const plain = plainError(Object.assign(new Error("outer"), { cause: error }));
  expect(plain).toMatchObject({ type: "Error", message: "outer", cause: { code: "23505" } });
  expect(JSON.stringify(plain)).not.toMatch(/4155550100|secret/);
});

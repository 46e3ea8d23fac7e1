import { expect, it } from "vitest";
import { readableLine } from "./log.ts";

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

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../server/src/testing/free-port.ts";
import { median, report } from "./report.ts";

/** The second and later `npm start` on a data folder, to the first good answer of /readyz; and its memory when idle. */
const ROUNDS = 5;
const IDLE_SECONDS = 10;

const dataDir = await mkdtemp(join(tmpdir(), "outreach-bench-start-"));

async function start(): Promise<{ seconds: number; residentMiB: number }> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const started = performance.now();
  const child = spawn("npm", ["start"], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), ADMIN_PORT: String(adminPort) },
    stdio: "ignore",
    detached: true,
  });
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) break;
    if (child.exitCode !== null || performance.now() - started > 60_000)
      throw new Error("the service did not start");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const seconds = (performance.now() - started) / 1000;
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const resident = Number(/^outreach_process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  const gone = once(child, "exit");
  // The group: npm, and the service that it started.
  process.kill(-child.pid!, "SIGTERM");
  await gone;
  while (isRunning(dataDir)) await new Promise((resolve) => setTimeout(resolve, 20));
  return { seconds, residentMiB: resident / 2 ** 20 };
}

/** The built-in database stops last; its pid file goes with it. */
function isRunning(folder: string): boolean {
  try {
    readFileSync(join(folder, "postgres", "postmaster.pid"));
    return true;
  } catch {
    return false;
  }
}

try {
  await start();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await start());
  const seconds = median(rounds.map((round) => round.seconds));
  const resident = median(rounds.map((round) => round.residentMiB));
  report("start", [
    {
      what: "second `npm start` to ready",
      measured: `${seconds.toFixed(2)} s`,
      reach: "≤ 2 s",
      reached: seconds <= 2,
    },
    {
      what: `idle resident memory of the Node process after ${IDLE_SECONDS} s`,
      measured: `${Math.round(resident)} MiB`,
      reach: "≤ 150 MiB",
      reached: resident <= 150,
    },
  ]);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

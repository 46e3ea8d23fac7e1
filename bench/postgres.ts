import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../server/src/clock.ts";
import { type Database, openDatabase } from "../server/src/database/database.ts";
import { startEmbeddedPostgres } from "../server/src/database/embedded/index.ts";
import { migrate, readMigrations } from "../server/src/database/migrate.ts";

export interface BenchPostgres {
  database: Database;
  /** For DATABASE_URL. */
  url: string;
  /** Runs one of PostgreSQL's own client programs against this server and returns what it printed. */
  client(program: "pgbench" | "psql", args: readonly string[], input?: string): Promise<string>;
  /** A file beside the data, for scripts and exports. */
  file(name: string, content?: string): Promise<string>;
  stop(): Promise<void>;
}

/** A migrated built-in PostgreSQL as `npm start` runs it: durable, on a Unix socket. */
export async function startPostgres(): Promise<BenchPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "outreach-bench-"));
  const server = await startEmbeddedPostgres({ dataDir: join(folder, "data"), log: () => {} });
  const { host, port, user, database: name } = server.connection;
  const database = openDatabase({ connection: server.connection, poolSize: 4 });
  const migrations = fileURLToPath(new URL("../server/migrations", import.meta.url));
  await migrate(database, await readMigrations(migrations), systemClock());
  const file = async (fileName: string, content = "") => {
    const path = join(folder, fileName);
    await writeFile(path, content);
    return path;
  };
  return {
    database,
    url: `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    client: (program, args, input) =>
      run(
        clientProgram(program),
        [
          "-h",
          host,
          "-p",
          String(port),
          "-U",
          user,
          ...args,
          ...(program === "psql" ? ["-d", name] : [name]),
        ],
        input,
      ),
    file,
    async stop() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The embedded package has no client programs: they come from the system's PostgreSQL. */
function clientProgram(name: string): string {
  const versions = "/usr/lib/postgresql";
  const folders = existsSync(versions)
    ? readdirSync(versions)
        .sort()
        .reverse()
        .map((version) => join(versions, version, "bin"))
    : [];
  for (const folder of [...folders, ...(process.env.PATH ?? "").split(":")]) {
    if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error(`${name} is not installed: it comes with PostgreSQL (Debian: apt-get install postgresql).`);
}

function run(program: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}: ${errors}`)),
    );
    child.stdin.end(input);
  });
}

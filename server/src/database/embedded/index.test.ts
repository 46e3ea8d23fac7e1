import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmbeddedPostgresError } from "./index.ts";
import { isAlive, openSandbox, query, type Sandbox, until } from "./testing/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

async function refusal(start: Promise<unknown>): Promise<EmbeddedPostgresError> {
  const error = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EmbeddedPostgresError) return error;
  throw new Error(`expected a refusal, got ${error}`);
}

describe("first start", () => {
  it("makes a durable UTF-8 cluster that only its owner reaches, on no TCP port", async () => {
    const dataDir = join(sandbox.directory, "missing", "data");
    const postgres = await sandbox.start(dataDir);
    const [settings] = await query(
      postgres.connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
         current_setting('full_page_writes') AS full_page_writes, current_setting('data_checksums') AS data_checksums,
         current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS tcp,
         current_setting('timezone') AS timezone, datlocale AS locale, lower('ÄŞ') AS folded
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(settings).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      data_checksums: "on",
      encoding: "UTF8",
      tcp: "",
      timezone: "UTC",
      locale: "C.UTF-8",
      folded: "äş",
    });
    const folder = await stat(postgres.connection.host);
    const server = await stat(`/proc/${postgres.pid}`);
    expect(folder.mode & 0o777).toBe(0o700);
    expect(folder.uid).toBe(server.uid);
    expect(server.uid).not.toBe(0);
    const { pid } = postgres;
    await postgres.stop();
    expect(isAlive(pid)).toBe(false);
    expect(postgres.pid).toBe(0);
  });

  it("keeps what was committed, and stops as often as it is told", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const first = await sandbox.start(dataDir);
    await query(first.connection, "CREATE TABLE t AS SELECT 42 AS answer");
    const pid = first.pid;
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    await expect(first.exited).resolves.toEqual({ code: 0, signal: null });

    const second = await sandbox.start(dataDir);
    expect(await query(second.connection, "SELECT answer FROM t")).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it("lets the caller's settings win, but not over the address", async () => {
    const postgres = await sandbox.start(await sandbox.dataDirWithCluster(), {
      settings: { fsync: "off", max_connections: "30", listen_addresses: "*" },
    });
    expect(
      await query(
        postgres.connection,
        `SELECT current_setting('fsync') AS fsync, current_setting('max_connections') AS connections,
           current_setting('listen_addresses') AS tcp`,
      ),
    ).toEqual([{ fsync: "off", connections: "30", tcp: "" }]);
    await postgres.stop();
  });

  it("has a session of its own, so that Ctrl-C in the terminal doesn't reach it", async () => {
    const postgres = await sandbox.start(await sandbox.dataDirWithCluster());
    const [, , group, session] = (await readFile(`/proc/${postgres.pid}/stat`, "utf8"))
      .replace(/^.*\) /, "")
      .split(" ");
    expect([Number(group), Number(session)]).toEqual([postgres.pid, postgres.pid]);
    await postgres.stop();
  });

  it("works where the path is too long for a socket", async () => {
    const deep = join(await sandbox.emptyDataDir(), "d".repeat(100), "e, \"'".repeat(20), "ü".repeat(60));
    await mkdir(deep, { recursive: true });
    const postgres = await sandbox.start(deep);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    const { host } = postgres.connection;
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    await postgres.stop();
    await expect(stat(host)).rejects.toThrow("ENOENT");
    expect((await stat(join(deep, "postgres"))).isDirectory()).toBe(true);
    expect(dirname(host)).not.toContain("d".repeat(100));
  });

  it("tells nobody's data to the log", async () => {
    const postgres = await sandbox.start(await sandbox.dataDirWithCluster());
    const secret = "+12025550123";
    await query(postgres.connection, "CREATE TABLE leads (phone text PRIMARY KEY)");
    const insert = `INSERT INTO leads VALUES ('${secret}')`;
    await query(postgres.connection, insert);
    await expect(query(postgres.connection, insert)).rejects.toThrow("duplicate key");
    await expect(query(postgres.connection, `SELECT '${secret}'::uuid`)).rejects.toThrow(
      "invalid input syntax",
    );
    const [backend] = await query(
      postgres.connection,
      `SELECT pg_terminate_backend(pg_backend_pid()) /* ${secret} */`,
    ).catch(() => [null]);
    expect(backend).toBeNull();
    await postgres.stop();
    expect(JSON.stringify(sandbox.logged)).not.toContain(secret);
  });
});

describe("supervision", () => {
  it("restarts a killed server in place, with all that was committed and a child still computing", async () => {
    const postgres = await sandbox.start(await sandbox.dataDirWithCluster());
    const { connection, pid } = postgres;
    await query(connection, "CREATE TABLE t AS SELECT 7 AS answer");
    // It doesn't look at its parent while it computes, and holds the shared memory meanwhile.
    const busy = query(connection, "SELECT count(*) FROM generate_series(1, 1000000000)").catch(() => "lost");
    await until(async () => {
      const [row] = await query(
        connection,
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series(1,%' AND pid <> pg_backend_pid()",
      );
      return row;
    });
    process.kill(pid, "SIGKILL");
    await until(() => postgres.restarts === 1);
    expect(await busy).toBe("lost");
    expect(postgres.pid).not.toBe(pid);
    expect(await query(connection, "SELECT answer FROM t")).toEqual([{ answer: 7 }]);

    process.kill(postgres.pid, "SIGKILL");
    await until(() => postgres.restarts === 2);
    expect(await query(connection, "SELECT answer FROM t")).toEqual([{ answer: 7 }]);
    const last = postgres.pid;
    await postgres.stop();
    expect(isAlive(last)).toBe(false);
  });

  it("doesn't come back when it is stopped while it restarts", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const postgres = await sandbox.start(dataDir);
    process.kill(postgres.pid, "SIGKILL");
    await until(() => postgres.pid === 0 || postgres.restarts === 1);
    await postgres.stop();
    expect(postgres.pid).toBe(0);
    const next = await sandbox.start(dataDir);
    await next.stop();
  });

  it("becomes rough with a server that doesn't stop in time", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const postgres = await sandbox.start(dataDir, { stopTimeoutMs: 200 });
    await query(postgres.connection, "CREATE TABLE t AS SELECT 1 AS one");
    const { pid } = postgres;
    process.kill(pid, "SIGSTOP");
    const stopped = postgres.stop();
    // A stopped process acts on no signal but this: SIGINT and SIGQUIT have both been sent when it goes on.
    await until(() => sandbox.logged.some(({ message }) => message.includes("SIGQUIT")));
    process.kill(pid, "SIGCONT");
    await stopped;
    expect(isAlive(pid)).toBe(false);
    const next = await sandbox.start(dataDir);
    expect(await query(next.connection, "SELECT one FROM t")).toEqual([{ one: 1 }]);
    await next.stop();
  });
});

describe("refusals", () => {
  it("doesn't touch a cluster of another major version", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), "17\n");
    const error = await refusal(sandbox.start(dataDir));
    expect(error.code).toBe("cluster_version_mismatch");
    expect(error.message).toMatch(/made by PostgreSQL 17, .* is 18.*DATABASE_URL=postgres:/);
  });

  it("doesn't touch a folder with something else in it", async () => {
    const dataDir = await sandbox.emptyDataDir();
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres", "mine.txt"), "");
    expect((await refusal(sandbox.start(dataDir))).code).toBe("cluster_unusable");
  });

  it("says what the server said when it doesn't start, and leaves the folder free", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const error = await refusal(sandbox.start(dataDir, { settings: { shared_buffers: "many" } }));
    expect(error.code).toBe("start_failed");
    expect(error.message).toContain("shared_buffers");
    await (await sandbox.start(dataDir)).stop();
  });

  it("names the way out on a platform without binaries", async () => {
    const arch = process.arch;
    Object.defineProperty(process, "arch", { value: "riscv64" });
    const error = await refusal(sandbox.start(await sandbox.emptyDataDir()));
    Object.defineProperty(process, "arch", { value: arch });
    expect(error.code).toBe("platform_unsupported");
    expect(error.message).toMatch(/linux-riscv64.*DATABASE_URL=postgres:/);
  });
});

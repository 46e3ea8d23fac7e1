import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseAccount } from "./account.ts";
import { isAlive, openSandbox, query, type Sandbox, until } from "./testing/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

describe("two services on one data folder", () => {
  it("lets one of two that start at once have it, new folder or old", async () => {
    for (const dataDir of [await sandbox.emptyDataDir(), await sandbox.dataDirWithCluster()]) {
      const started = await Promise.allSettled([1, 2, 3].map(() => sandbox.start(dataDir)));
      const winners = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const losers = started.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      expect(winners).toHaveLength(1);
      for (const loser of losers) {
        expect(loser).toMatchObject({ name: "EmbeddedPostgresError", code: "data_dir_in_use" });
        expect(String(loser)).toContain(`process ${process.pid}`);
      }
      expect(await query(winners[0]!.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await winners[0]!.stop();
    }
  });

  it("names the process that has it, and takes it when that process is gone", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const children = await Promise.all([sandbox.child(dataDir), sandbox.child(dataDir)]);
    const answers = await Promise.all(children.map(({ answer }) => answer));
    const winner = children[answers.findIndex(({ code }) => code === undefined)]!;
    const loser = answers.find(({ code }) => code !== undefined);
    expect(loser?.code).toBe("data_dir_in_use");
    expect(loser?.message).toContain(`process ${winner.process.pid}`);
    await expect(sandbox.start(dataDir)).rejects.toThrow(`process ${winner.process.pid}`);
    const ended = once(winner.process, "exit");
    winner.process.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await (await sandbox.start(dataDir)).stop();
  });
});

describe("what a killed service leaves behind", () => {
  it("stops its server and goes on with what it had committed", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const child = await sandbox.child(dataDir);
    const { connection, pid } = await child.answer;
    await query(connection!, "CREATE TABLE t AS SELECT 5 AS answer");
    await child.kill();
    expect(isAlive(pid!)).toBe(true);

    const postgres = await sandbox.start(dataDir);
    expect(isAlive(pid!)).toBe(false);
    expect(postgres.pid).not.toBe(pid);
    expect(await query(postgres.connection, "SELECT answer FROM t")).toEqual([{ answer: 5 }]);
    await postgres.stop();
  });

  it("recovers when service and server were killed while a child of the server computes", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const child = await sandbox.child(dataDir);
    const { connection, pid } = await child.answer;
    await query(connection!, "CREATE TABLE t AS SELECT 6 AS answer");
    const busy = query(connection!, "SELECT count(*) FROM generate_series(1, 1000000000)").catch(
      () => "lost",
    );
    await until(async () => {
      const [row] = await query(
        connection!,
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series(1,%' AND pid <> pg_backend_pid()",
      );
      return row;
    });
    await child.kill();
    process.kill(pid!, "SIGKILL");

    const postgres = await sandbox.start(dataDir);
    expect(await busy).toBe("lost");
    expect(await query(postgres.connection, "SELECT answer FROM t")).toEqual([{ answer: 6 }]);
    await postgres.stop();
  });

  it("does nothing to a program that has the dead server's process id now", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    const account = await chooseAccount(join(dataDir, "postgres"));
    const innocent = spawn("sleep", ["600"], { stdio: "ignore", ...(account ?? {}) });
    await once(innocent, "spawn");
    await writeFile(
      join(dataDir, "postgres", "postmaster.pid"),
      `${innocent.pid}\n/proc/self/cwd\n1700000000\n5432\n/proc/self/cwd\n\n 1 1\nready   \n`,
    );
    await writeFile(join(dataDir, "postgres", ".s.PGSQL.5432.lock"), `${innocent.pid}\n`);
    const postgres = await sandbox.start(dataDir);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await postgres.stop();
    expect(innocent.exitCode).toBeNull();
    expect(innocent.signalCode).toBeNull();
    innocent.kill();
    await once(innocent, "exit");
  });

  it("makes the cluster anew when the first start was killed in the middle", async () => {
    const dataDir = await sandbox.emptyDataDir();
    const child = await sandbox.child(dataDir);
    await until(async () => {
      const unfinished = (await readdir(dataDir)).find((name) => name.startsWith("postgres.initializing-"));
      return unfinished !== undefined && (await readdir(join(dataDir, unfinished))).includes("base");
    });
    await child.kill();
    expect(await readdir(dataDir)).not.toContain("postgres");

    const postgres = await sandbox.start(dataDir);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await postgres.stop();
    expect((await readdir(dataDir)).filter((name) => name.startsWith("postgres"))).toEqual(["postgres"]);
  });

  it("leaves nothing when the caller ends the first start in the middle", async () => {
    const dataDir = await sandbox.emptyDataDir();
    const abort = new AbortController();
    const starting = sandbox.start(dataDir, { signal: abort.signal });
    starting.catch(() => {});
    await until(async () =>
      (await readdir(dataDir)).some((name) => name.startsWith("postgres.initializing-")),
    );
    abort.abort();
    await expect(starting).rejects.toMatchObject({ code: "aborted" });
    expect((await readdir(dataDir)).filter((name) => name.startsWith("postgres"))).toEqual([]);
  });

  it("removes the temporary folder of a server whose path was too long", async () => {
    const dataDir = join(await sandbox.emptyDataDir(), "d".repeat(120));
    await mkdir(dataDir);
    const child = await sandbox.child(dataDir);
    const { connection } = await child.answer;
    await child.kill();
    const postgres = await sandbox.start(dataDir);
    expect(postgres.connection.host).not.toBe(connection!.host);
    await expect(stat(connection!.host)).rejects.toThrow("ENOENT");
    await postgres.stop();
  });
});

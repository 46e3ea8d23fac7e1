import { chmod, chown, cp, mkdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox, packageDir, query, type Sandbox } from "./testing/sandbox.ts";

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The package as npm leaves it without install scripts: no symbolic links. */
async function packageWithoutLinks(directory: string, version?: string): Promise<string> {
  const copy = join(directory, "package");
  await cp(packageDir(), copy, { recursive: true, verbatimSymlinks: true });
  const links: { target: string }[] = JSON.parse(
    await readFile(join(copy, "native", "pg-symlinks.json"), "utf8"),
  );
  expect(links.length).toBeGreaterThan(0);
  for (const { target } of links) await unlink(join(copy, target)).catch(() => {});
  if (version !== undefined) await writeFile(join(copy, "package.json"), JSON.stringify({ version }));
  return copy;
}

describe("as any user", () => {
  it("makes the symbolic links that the package's install script would have made", async () => {
    const directory = await sandbox.emptyDataDir();
    await chmod(directory, 0o755);
    await chmod(sandbox.directory, 0o755);
    const postgres = await sandbox.start(join(directory, "data"), {
      packageDir: await packageWithoutLinks(directory),
    });
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await postgres.stop();
    await expect(stat(join(directory, "data", "postgres-binaries"))).rejects.toThrow("ENOENT");
  });
});

describe.runIf(isRoot)("as root", () => {
  it("works when checkout and data lie below a home directory of mode 0700, and again after that", async () => {
    const home = await sandbox.emptyDataDir();
    await chmod(home, 0o700);
    const version = `18.4.0-test-${process.pid}`;
    const checkout = await packageWithoutLinks(home, version);
    const dataDir = join(home, "deep", "data");
    try {
      for (const expected of [1, 2]) {
        const postgres = await sandbox.start(dataDir, { packageDir: checkout });
        await query(postgres.connection, "CREATE TABLE IF NOT EXISTS t (n int)");
        await query(postgres.connection, "INSERT INTO t VALUES (1)");
        expect(await query(postgres.connection, "SELECT count(*)::int AS n FROM t")).toEqual([
          { n: expected },
        ]);
        expect((await stat(`/proc/${postgres.pid}`)).uid).toBe(NOBODY);
        process.kill(postgres.pid, "SIGKILL");
        await expect.poll(() => postgres.restarts, { timeout: 15_000 }).toBe(1);
        await postgres.stop();
      }
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      expect((await stat(join(dataDir, "postgres", "PG_VERSION"))).isFile()).toBe(true);
    } finally {
      await rm(`/var/cache/outreach/postgres-${version}-${process.platform}-${process.arch}`, {
        recursive: true,
        force: true,
      });
    }
  });

  it("repairs a copy of the binaries that lost a file", async () => {
    const home = await sandbox.emptyDataDir();
    await chmod(home, 0o700);
    const version = `18.4.0-test-repair-${process.pid}`;
    const checkout = await packageWithoutLinks(home, version);
    const copy = `/var/cache/outreach/postgres-${version}-${process.platform}-${process.arch}`;
    try {
      const dataDir = await sandbox.dataDirWithCluster();
      await (await sandbox.start(dataDir, { packageDir: checkout })).stop();
      await rm(join(copy, "share", "postgresql", "timezonesets"), { recursive: true });
      await (await sandbox.start(dataDir, { packageDir: checkout })).stop();
      expect((await stat(join(copy, "share", "postgresql", "timezonesets", "Default"))).isFile()).toBe(true);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  });

  it("runs as the user who owns the cluster, and mends modes that PostgreSQL refuses", async () => {
    const dataDir = await sandbox.dataDirWithCluster();
    await chmod(join(dataDir, "postgres"), 0o777);
    const postgres = await sandbox.start(dataDir);
    expect((await stat(`/proc/${postgres.pid}`)).uid).toBe(NOBODY);
    await postgres.stop();
  });
});

describe.runIf(isRoot)("as an ordinary user", () => {
  it("runs PostgreSQL as that user, and says so when the cluster is somebody else's", async () => {
    await chmod(sandbox.directory, 0o755);
    const dataDir = join(await sandbox.emptyDataDir(), "data");
    await chmod(join(dataDir, ".."), 0o755);
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, NOBODY, NOBODY);
    const child = await sandbox.child(dataDir, { uid: NOBODY, gid: NOBODY });
    const { pid, connection } = await child.answer;
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY);
    expect(await query(connection!, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    child.process.kill("SIGTERM");
    await new Promise((resolve) => child.process.once("exit", resolve));

    await chown(join(dataDir, "postgres"), 1, 1);
    await chmod(join(dataDir, "postgres"), 0o755);
    const other = await sandbox.child(dataDir, { uid: NOBODY, gid: NOBODY });
    const answer = await other.answer;
    expect(answer.code).toBe("cluster_owner_mismatch");
    expect(answer.message).toContain("sudo chown -R 65534");
  });
});

import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./errors.ts";
import { readPostmasterFile } from "./postmaster.ts";
import { endProcesses, findServerProcesses } from "./processes.ts";
import type { Log } from "./server-log.ts";
import { PORT, removeAbandonedSocketDirectory } from "./socket-directory.ts";

/** Fast shutdown, then immediate shutdown (the next start recovers), then the hard way. */
const STOP_STEPS = [
  { signal: "SIGINT", waitMs: 20_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** Children of a dead server notice within milliseconds unless they are in the middle of a computation. */
const CHILDREN_STEPS = [
  { signal: null, waitMs: 1_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/**
 * Ends what is left of a server that wasn't stopped: the server itself, orphaned by a `kill -9` of its service, and
 * the children of a killed server, which hold its shared memory. Then removes its lock files: PostgreSQL would refuse to
 * start where the process id in them belongs to any other program of the same user by now.
 *
 * The caller holds the lock of the data folder, so this is no server that another service of this machine uses.
 *
 * @param name what `clusterName` says
 * @param owner the user id that the server runs as
 * @throws EmbeddedPostgresError `data_dir_in_use` when a server is there that can't be seen from here
 */
export async function endPredecessor(options: {
  clusterDir: string;
  name: string;
  owner: number;
  log: Log;
}): Promise<void> {
  const { clusterDir, name, owner, log } = options;
  const file = await readPostmasterFile(clusterDir);
  if (file === null) return;
  const running = () => findServerProcesses(name, owner);
  const found = await running();
  if (found.includes(file.pid)) {
    log("warn", "Stopping the database server that a service left running when it was killed.", {
      pid: file.pid,
    });
    await endProcesses(async () => (await running()).filter((pid) => pid === file.pid), STOP_STEPS);
  } else if (found.length === 0 && (await answers(clusterDir))) {
    throw new EmbeddedPostgresError(
      "data_dir_in_use",
      `A PostgreSQL that can't be seen from here (in another container?) runs on ${clusterDir}. Stop it first.`,
    );
  }
  if (!(await endProcesses(running, CHILDREN_STEPS))) {
    throw new EmbeddedPostgresError(
      "data_dir_in_use",
      `Processes of an earlier PostgreSQL on ${clusterDir} don't end: ${(await running()).join(", ")}.`,
    );
  }
  await removeAbandonedSocketDirectory(file.socketDirectory, owner);
  for (const stale of ["postmaster.pid", `.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) {
    await rm(join(clusterDir, stale), { force: true });
  }
}

function answers(clusterDir: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(clusterDir, `.s.PGSQL.${PORT}`));
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

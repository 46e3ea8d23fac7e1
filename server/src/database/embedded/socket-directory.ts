import { chmod, chown, lstat, mkdtemp, rm, unlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Account, canReach } from "./account.ts";

/** Without TCP the port is only a part of the socket's name. */
export const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;

/** A socket's path has 108 bytes on Linux and 104 elsewhere, with the zero at its end. */
const LONGEST_PATH = process.platform === "linux" ? 107 : 103;
const PREFIX = "outreach-pg-";

export interface SocketDirectory {
  /** For the client: an absolute path. */
  path: string;
  /** The cluster's own folder; else a temporary one. */
  isCluster: boolean;
  remove(): Promise<void>;
}

/**
 * Picks the folder of the server's socket: the cluster's own, which is private to the account (mode 0700) as it is;
 * a new private folder below the one for temporary files where that path is too long for a socket, or the file system
 * of the data takes none.
 */
export async function openSocketDirectory(
  clusterDir: string,
  account: Account | null,
): Promise<SocketDirectory> {
  if (Buffer.byteLength(join(clusterDir, SOCKET_NAME)) <= LONGEST_PATH && (await takesSockets(clusterDir))) {
    return { path: clusterDir, isCluster: true, remove: async () => {} };
  }
  const short = Buffer.byteLength(tmpdir()) <= 60 && (await canReach(tmpdir(), account));
  const path = await mkdtemp(join(short ? tmpdir() : "/tmp", PREFIX));
  await chmod(path, 0o700);
  if (account !== null) await chown(path, account.uid, account.gid);
  return { path, isCluster: false, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Removes the temporary folder of a server that was killed, as its `postmaster.pid` names it. Nothing else is touched.
 */
export async function removeAbandonedSocketDirectory(path: string, owner: number): Promise<void> {
  if (!basename(path).startsWith(PREFIX) || ![tmpdir(), "/tmp"].includes(dirname(path))) return;
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() && found.uid === owner) await rm(path, { recursive: true, force: true });
}

async function takesSockets(directory: string): Promise<boolean> {
  const path = join(directory, ".s.probe");
  await unlink(path).catch(() => {});
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(path, () => server.close(() => resolve(true)));
  });
}

import { constants } from "node:fs";
import { access, chown, lchown, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EmbeddedPostgresError, errorCode, errorMessage, USE_DATABASE_URL } from "./errors.ts";

/** The user that PostgreSQL runs as, when it can't be the one who runs the service. */
export interface Account {
  uid: number;
  gid: number;
}

/** The conventional ids of `nobody` where /etc/passwd doesn't say. */
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

const READ = 0o4;
const ENTER = 0o1;

/**
 * PostgreSQL refuses to run as root. A service that runs as root therefore lends it the account that owns the
 * cluster already, or `nobody`. Null: PostgreSQL runs as the user of this process.
 *
 * @throws EmbeddedPostgresError when the cluster belongs to somebody else
 */
export async function chooseAccount(clusterDir: string): Promise<Account | null> {
  const self = process.geteuid?.();
  if (self === undefined) return null;
  const owner = await ownerOf(clusterDir);
  if (self === 0) return owner !== null && owner.uid !== 0 ? owner : nobody();
  if (owner !== null && owner.uid !== self) {
    throw new EmbeddedPostgresError(
      "cluster_owner_mismatch",
      `The database in ${clusterDir} belongs to user id ${owner.uid}, but the service runs as user id ${self}` +
        ` (was it started as root before?). Start it as before, or give the folder to this user:` +
        ` sudo chown -R ${self} ${clusterDir}`,
    );
  }
  return null;
}

/**
 * Gives a folder of root's and all that is in it to the account; a folder that belongs to the account is left alone.
 * A cluster ends up in root's hands when it was copied or restored from a backup as root.
 */
export async function giveTo(account: Account | null, directory: string): Promise<void> {
  if (account === null || (await stat(directory)).uid === account.uid) return;
  try {
    for (const entry of await readdir(directory, { recursive: true }))
      await lchown(join(directory, entry), account.uid, account.gid);
    await chown(directory, account.uid, account.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      "cluster_unusable",
      `PostgreSQL doesn't run as root, and root may not give ${directory} to user id ${account.uid} here` +
        ` (${errorMessage(error)}). Run the service as an ordinary user, or ${USE_DATABASE_URL}.`,
      { cause: error },
    );
  }
}

/** Whether the account may read `path` and enter every folder above it, by their mode bits. */
export async function canReach(path: string, account: Account | null): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    if (account === null) return true;
    let each = resolve(path);
    for (let needed = READ; ; needed = ENTER) {
      const { mode, uid, gid } = await stat(each);
      const bits = mode >> (uid === account.uid ? 6 : gid === account.gid ? 3 : 0);
      if ((bits & needed) !== needed) return false;
      if (each === dirname(each)) return true;
      each = dirname(each);
    }
  } catch {
    return false;
  }
}

async function ownerOf(path: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

async function nobody(): Promise<Account> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(":") ?? [];
  const account = { uid: Number(uid), gid: Number(gid) };
  return account.uid > 0 && account.gid > 0 ? account : NOBODY;
}

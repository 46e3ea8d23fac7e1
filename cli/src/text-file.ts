import { readFile } from "node:fs/promises";
import { Refusal } from "./failure.ts";

/** What a file that a flag names holds. @throws Refusal file_unreadable */
export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Refusal({
      error: "file_unreadable",
      message: `${path} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

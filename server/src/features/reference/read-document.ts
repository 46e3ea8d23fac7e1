import { readFile } from "node:fs/promises";
import { DomainError } from "../../domain-error.ts";

/** The address that the files in the repository name. */
const PLACEHOLDER_URL = "http://localhost:8080";

/**
 * A file with the service's own public address in the place of the placeholder. Read anew each time: it is small, seldom
 * asked for, and needs no memory in between.
 * @throws DomainError with the code given when it can't be read
 */
export async function readDocument(
  file: string,
  publicUrl: string,
  unavailable: "spec_unavailable" | "guide_unavailable" | "sdk_unavailable",
): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replaceAll(PLACEHOLDER_URL, () => plain(publicUrl));
  } catch (cause) {
    const error = new DomainError(unavailable, "The file could not be read. Retry later.");
    error.cause = cause;
    throw error;
  }
}

/** An address that means the same in YAML, Markdown and a shell: what could end it there is percent-encoded. */
function plain(url: string): string {
  return url.replace(
    /[\s"'<>\\^`{|}$#]/g,
    (character) => `%${character.codePointAt(0)!.toString(16).padStart(2, "0")}`,
  );
}

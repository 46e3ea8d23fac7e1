// npm run generate [-- --check]: writes the files that are made of the sources: the OpenAPI documents. With --check it writes
// nothing and fails when a committed file is not what the sources make.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { installMissing, note, requireNode, root } from "./prepare.mjs";

requireNode();
installMissing({ development: true });
const { build } = await import("esbuild");

const check = process.argv.includes("--check");
const documents = await makeDocuments();
const stale = [];
for (const { file, text, operations } of documents) {
  // A document of nothing would be as fresh as any other.
  if (operations === 0) throw new Error(`${file} has no operations.`);
  const path = join(root, file);
  const committed = await readFile(path, "utf8").catch(() => null);
  if (committed !== text) {
    stale.push(file);
    if (!check) await put(path, text);
  }
  note(
    `${file}: ${operations} operations, ${committed === text ? "unchanged" : check ? "stale" : "written"}`,
  );
}
if (check && stale.length > 0) {
  note(
    `${stale.join(" and ")} ${stale.length === 1 ? "is" : "are"} stale: run "npm run generate" and commit.`,
  );
  process.exitCode = 1;
}

/** The sources are TypeScript, which Node.js 20 can't run by itself: they are bundled into a file that is gone afterwards. */
async function makeDocuments() {
  // Below `server/`, where the sources' own packages are found.
  const bundle = join(root, `server/dist/api-documents-${process.pid}.mjs`);
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ["server/src/api-documents/index.ts"],
      outfile: bundle,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
      logLevel: "warning",
    });
    const { apiDocuments } = await import(pathToFileURL(bundle).href);
    return apiDocuments();
  } finally {
    await rm(bundle, { force: true });
  }
}

async function put(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

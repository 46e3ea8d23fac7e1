// `npm run check`: types, lint, module boundaries, source rules, unused code, generated files. Runs all and names what failed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installMissing, requireNode } from "./prepare.mjs";
import { checkSourceRules } from "./source-rules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => join(root, "node_modules", ".bin", name);
requireNode();
installMissing({ development: true });

const run = (command, args) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { ok: status === 0, output: `${stdout}${stderr}` };
};

/** A configuration that matches nothing passes just as one that finds nothing: the number of modules tells them apart. */
const LEAST_MODULES = 150;
function boundaries() {
  const { output, ok } = run(bin("depcruise"), [
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "json",
    "server/src",
    "cli/src",
  ]);
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  const { summary } = JSON.parse(json);
  const lines = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  if (summary.totalCruised < LEAST_MODULES)
    lines.push(`looked at ${summary.totalCruised} modules only, expected at least ${LEAST_MODULES}`);
  return {
    ok: ok && lines.length === 0,
    output: lines.join("\n"),
    note: `${summary.totalCruised} modules, ${summary.totalDependenciesCruised} dependencies`,
  };
}

const checks = {
  types: () => run(bin("tsc"), ["-p", "."]),
  "types in pages": () => run(bin("tsc"), ["-p", "sdk/demo"]),
  lint: () => run(bin("biome"), ["ci", "--error-on-warnings", "."]),
  "module boundaries": boundaries,
  "source rules": () => checkSourceRules(root),
  "unused code": () => run(bin("knip"), ["--no-progress"]),
  "generated files": () => run(process.execPath, ["scripts/generate.mjs", "--check"]),
};

const failed = [];
for (const [name, check] of Object.entries(checks)) {
  const started = performance.now();
  const { ok, output, note } = check();
  process.stdout.write(
    `${ok ? "ok    " : "FAILED"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)${note ? `: ${note}` : ""}\n`,
  );
  if (!ok) {
    failed.push(name);
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
}
process.stdout.write(
  failed.length === 0
    ? "All checks passed.\n"
    : `${failed.length} of ${Object.keys(checks).length} checks failed: ${failed.join(", ")}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

// npm test [-- arguments of vitest]: every test, from a fresh clone on.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildStale, installMissing, requireNode, root, SERVICE_BUNDLES } from "./prepare.mjs";

requireNode();
installMissing({ development: true });
// The tests of the command line and of the start run what is built.
buildStale(...SERVICE_BUNDLES, "cli");

const vitest = join(root, "node_modules/vitest/vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

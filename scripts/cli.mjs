// What `outreach` runs: the bundled command line, built first when its sources have changed. The bundle has all it needs:
// only a build looks whether the dependencies are there.
import { buildStale, importBuilt, installMissing, requireNode, SERVICE_BUNDLES } from "./prepare.mjs";

requireNode();
buildStale("cli");

/** `outreach … | head`: whoever reads no further has had enough. */
const leave = () => process.exit();
process.stdout.on("error", leave);

/** The service's own code, which only `serve` and `migrate` need. It goes on without a reader. */
function loadServer() {
  process.stdout.off("error", leave);
  installMissing();
  buildStale(...SERVICE_BUNDLES);
  return importBuilt("server");
}

const { run } = await importBuilt("cli");
process.exitCode = await run(process.argv.slice(2), { environment: process.env, loadServer });

// npm start: the whole service, from a fresh clone on.
//
// The script in package.json says `exec node … || node …`, since a shell that waits between npm and the service would end
// at SIGTERM without passing it on. Windows has no exec (nor SIGTERM) and takes the second part.
import { buildStale, importBuilt, installMissing, requireNode, SERVICE_BUNDLES } from "./prepare.mjs";

requireNode();
installMissing();
buildStale(...SERVICE_BUNDLES, "cli");

// In this very process: a parent that only waits would cost 40 MB and stand between the service and its signals.
const { serve } = await importBuilt("server");
process.exit(await serve(process.env));

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serve } from "./process/serve.ts";

export { migrateDatabase } from "./process/migrate-database.ts";
export { simulateDialing } from "./process/simulate-dialing.ts";
export { serve };

// `npm start` and `outreach serve` import this file and call serve(); `node server/dist/main.js` runs it as it is.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exit(await serve(process.env));
}

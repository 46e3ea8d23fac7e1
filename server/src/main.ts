import pino from "pino";
import { ConfigError, readConfig } from "./config.ts";
import { startService } from "./service.ts";

/** Runs the service until SIGTERM or SIGINT. Exit status 0 after a clean drain, 1 when it could not start. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel, base: null });
  const service = await startService({ config, logger });
  logger.info({ public: service.publicUrl, admin: service.adminUrl }, "ready");

  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, "draining");
    void service.close().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});

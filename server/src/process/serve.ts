import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { readOperatorToken } from "../admin/operator-token.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Config, readConfig } from "../config.ts";
import { createDemo, type Demo } from "../demo/index.ts";
import { idsFrom } from "../ids.ts";
import { type Service, startService } from "../service.ts";
import { explainStartError } from "./explain-start-error.ts";
import { openLog } from "./log.ts";
import { startReport } from "./start-report.ts";
import { listenForStop } from "./stop-signals.ts";
import { logStrayRejections } from "./stray-rejections.ts";

/** Beside what running calls get. A delivery may take 10 s and most requests far less; a supervisor sends SIGKILL after 30 s or more. */
const LONGEST_DRAIN_MS = 10_000;
/** npm passes signals on: the second one must not meet a process that is just ending, and kill it. */
const SECOND_SIGNAL_MS = 200;

/**
 * Runs the service until SIGTERM or Ctrl-C, then drains it. A second signal ends it at once.
 * @returns the exit status: 0 after a clean drain, 1 when it could not start or not drain in time
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<number> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const logger = openLog(config.logLevel);
  const stop = listenForStop(() => process.exit(1));
  const releaseRejections = logStrayRejections(logger);
  try {
    const service = await start(config, logger);
    const signal = await stop.first;
    logger.info({ signal }, "draining");
    const [status] = await Promise.all([
      drain(service, logger, LONGEST_DRAIN_MS + config.voiceDrainMs),
      delay(SECOND_SIGNAL_MS),
    ]);
    return status;
  } catch (error) {
    const explained = explainStartError(error, config);
    process.stderr.write(`${explained ?? (error instanceof Error ? error.stack : String(error))}\n`);
    return 1;
  } finally {
    stop.release();
    releaseRejections();
  }
}

/** What a first start shows only once is made when every port is bound, and is there when `/readyz` says that the service is. */
async function start(config: Config, logger: Logger): Promise<Service> {
  const clock = systemClock(config.clockStart ?? undefined);
  return startService({
    config,
    logger,
    clock,
    async whenListening(service) {
      const demo = config.demo ? await makeDemo(service, clock, logger) : null;
      if (config.webhookAllowPrivateTargets) {
        logger.warn("WEBHOOK_ALLOW_PRIVATE_TARGETS=1: webhooks may go to http and private addresses");
      }
      logger.info({ public: service.publicUrl, admin: service.adminUrl }, "ready");
      // Shown on the first start only, beside the demo's keys, and never where it was configured.
      const token = demo !== null && config.adminToken === null ? await readOperatorToken(config) : null;
      // Who reads no further than this is no reason to end the service.
      process.stdout.on("error", () => {});
      process.stdout.write(startReport({ config, service, demo, token }));
    },
  });
}

async function makeDemo({ database }: Service, clock: Clock, logger: Logger): Promise<Demo | null> {
  try {
    return await createDemo({ database, clock, newId: idsFrom(clock) });
  } catch (error) {
    // The service is of use without it.
    logger.error({ err: error }, "the demo organization could not be made");
    return null;
  }
}

async function drain(service: Service, logger: Logger, longestMs: number): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<"too long">((resolve) => {
    timer = setTimeout(resolve, longestMs, "too long");
  });
  const how = await Promise.race([service.close().then(() => "drained" as const), tooLong]);
  clearTimeout(timer);
  if (how === "drained") {
    logger.info("stopped");
    return 0;
  }
  logger.error({ seconds: longestMs / 1000 }, "the drain took too long and was cut off");
  return 1;
}

// Longer than 300 lines: the one place that makes every part and hands it to the others, in the order in which they start.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { demoPageRoutes } from "./admin/demo-page.routes.ts";
import { healthRoutes } from "./admin/health-routes.ts";
import { readOperatorToken } from "./admin/operator-token.ts";
import { privateRoutes } from "./admin/private-routes.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { type ConnectionOptions, type Database, openDatabase } from "./database/database.ts";
import { isMigrated, migrate, readMigrations } from "./database/migrate.ts";
import { openNotifications } from "./database/notifications.ts";
import { findKeyIn } from "./features/api-keys/index.ts";
import { callCallbackRoutes } from "./features/call-callbacks/index.ts";
import { createHangUps } from "./features/calls/index.ts";
import { readDialingFigures } from "./features/dialing/index.ts";
import { createLeadWriter, leadFormats } from "./features/leads/index.ts";
import { createActivityTracker, startJanitor } from "./features/retention/index.ts";
import {
  createDeliveryClient,
  createTargetResolver,
  dispatcherSettings,
  readDeliveryGauges,
  startDispatcher,
} from "./features/webhooks/index.ts";
import { createApiGuard } from "./http/api-guard.ts";
import { type ApiCaller, createAuthenticator } from "./http/authentication.ts";
import { beginIdempotent } from "./http/idempotency.ts";
import { createOperatorGuard, type Operator } from "./http/operator-guard.ts";
import { memoryRateLimiter, type RateLimiter } from "./http/rate-limit/index.ts";
import type { RouteDefinition } from "./http/route.ts";
import { createHttpServer } from "./http/server.ts";
import { idsFrom } from "./ids.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { publicRoutes, rootRoutes } from "./public-routes.ts";
import { type CallsOptions, startCalls } from "./start-calls.ts";
import { startDialer } from "./start-dialer.ts";
import { createSpeech } from "./voice/speech/index.ts";

export interface ServiceOptions {
  config: Config;
  logger: Logger;
  /** Default: the system's clock, or one that starts at `CLOCK_START`. */
  clock?: Clock;
  /** A database to use instead of the configured one. The caller closes nothing: the service owns its pool. */
  connection?: ConnectionOptions;
  /** The operator token, instead of the one in DATA_DIR. */
  operatorToken?: string;
  /** How deliveries are sent, where it isn't the default: for tests. */
  delivery?: Partial<Parameters<typeof createDeliveryClient>[0]>;
  /** How calls are run, where it isn't the default: for tests. */
  voice?: CallsOptions;
  /** Runs once every port is bound, and before `/readyz` says so. */
  whenListening?(service: Service): Promise<void>;
}

export interface Service {
  /** The routes that are served: what tests over every route go by. */
  routes: { public: RouteDefinition<ApiCaller>[]; private: RouteDefinition<Operator>[] };
  publicUrl: string;
  adminUrl: string;
  database: Database;
  /** Takes no new work, lets running requests and deliveries end, and closes everything. */
  close(): Promise<void>;
}

/** Where the migrations are: beside the sources, and beside the built file. */
export const MIGRATIONS = fileURLToPath(new URL("../migrations", import.meta.url));

/** One looks and claims, one records, and one or two read and release beside them. */
const DISPATCHER_CONNECTIONS = 4;

/** At most so long does a start wait for the janitor's first round. */
const JANITOR_HEAD_START_MS = 300;

/** Builds what the roles need and starts it. What was started is closed again when a later part fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { logger } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((error: unknown) => logger.error({ err: error }, "closing failed"));
    }
  };
  try {
    return await start(options, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  { config, logger, ...given }: ServiceOptions,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Service> {
  const clock = given.clock ?? systemClock(config.clockStart ?? undefined);
  const newId = idsFrom(clock);
  const onError = (what: string) => (error: unknown) => logger.error({ err: error }, what);

  const connection = given.connection ?? (await connectionFor(config, logger, closers));
  const database = openDatabase({
    connection,
    poolSize: config.databasePoolSize,
    onError: onError("idle database connection failed"),
  });
  closers.push(() => database.close());
  const migrations = await readMigrations(MIGRATIONS);
  const applied = await migrate(database, migrations, clock);
  if (applied.length > 0) logger.info({ versions: applied }, "database migrated");

  const notifications = openNotifications({
    database,
    connection,
    processId: randomUUID(),
    onError: onError("listening for notifications failed"),
  });
  closers.push(() => notifications.close());

  const authenticator = createAuthenticator({ findKey: findKeyIn(database), clock });
  notifications.onNotification("keys", (organizationId) => authenticator.forget(organizationId || undefined));
  const rateLimiter = await rateLimiterFor(config, clock, logger);
  closers.push(() => rateLimiter.close());

  const metrics = createMetrics({
    database,
    deliveries: () => readDeliveryGauges({ database, clock }),
    dialing: () => readDialingFigures({ database, clock }),
  });
  const activity = createActivityTracker({ database, clock, onError: onError("recording key use failed") });
  closers.push(() => activity.close());

  const wakeDispatcher: (() => void)[] = [];
  notifications.onNotification("deliveries", () => {
    for (const wake of wakeDispatcher) wake();
  });
  const outbox = {
    clock,
    newId,
    deliveriesQueued() {
      for (const wake of wakeDispatcher) wake();
      notifications.notify("deliveries");
    },
  };
  const allowPrivateTargets = config.webhookAllowPrivateTargets;
  const resolver = createTargetResolver({ allowPrivateTargets });
  closers.push(async () => resolver.close());
  const targetCheck = { resolver: given.delivery?.resolver ?? resolver, allowPrivateTargets };

  const wakeDialer: (() => void)[] = [];
  notifications.onNotification("campaigns", () => {
    for (const wake of wakeDialer) wake();
  });
  const dialing = {
    clock,
    newId,
    dialingMetrics: metrics.dialing,
    campaignsChanged() {
      for (const wake of wakeDialer) wake();
      notifications.notify("campaigns");
    },
  };

  const speech = createSpeech();
  closers.push(() => speech.close());

  const listen = async (app: FastifyInstance, { host, port }: { host: string; port: number }) => {
    closers.push(() => app.close());
    await app.listen({ host, port });
    const address = app.server.address();
    return typeof address === "object" && address ? address.port : port;
  };

  if (config.roles.has("janitor")) {
    const alone = config.databaseUrl === null;
    const janitor = startJanitor({ database, clock, newId, logger, activity, alone });
    closers.push(() => janitor.stop());
    // So that what is past its time is gone before the first answer, unless there is a lot of it.
    await janitor.headStart(JANITOR_HEAD_START_MS);
  }

  if (config.roles.has("dispatcher")) {
    const client = createDeliveryClient({ ...targetCheck, ...given.delivery });
    closers.push(() => client.close());
    const own = openDatabase({
      connection,
      poolSize: DISPATCHER_CONNECTIONS,
      settings: dispatcherSettings,
      onError: onError("idle database connection of the dispatcher failed"),
    });
    closers.push(() => own.close());
    const dispatcher = startDispatcher({
      database: own,
      clock,
      newId,
      client,
      onError: (what, error) => logger.error({ err: error }, what),
      onAttempt: metrics.attemptEnded,
      onDisabled: ({ organizationId, id }) =>
        logger.warn(
          { organization_id: organizationId, webhook_id: id },
          "webhook disabled: 25 failures in a row",
        ),
    });
    wakeDispatcher.push(dispatcher.wake);
    closers.push(() => dispatcher.stop());
  }

  const trunkListeners: (() => void)[] = [];
  const onTrunksChanged = (listener: () => void) => void trunkListeners.push(listener);
  const tellTrunksChanged = () => {
    for (const listener of trunkListeners) listener();
  };
  notifications.onNotification("trunks", tellTrunksChanged);
  const calls = await startCalls(
    {
      ...outbox,
      onTrunksChanged,
      database,
      config,
      logger,
      notifications,
      speech,
      callMetrics: metrics.calls,
      dialing,
    },
    given.voice ?? {},
    closers,
  );
  const hangUps = createHangUps(calls);
  closers.push(() => hangUps.settled());
  const deps = {
    ...calls,
    optedOut: hangUps.optedOut,
    config,
    logger,
    targetCheck,
    speech,
    campaignsChanged: dialing.campaignsChanged,
    leadWriter: createLeadWriter({ ...outbox, database }),
    trunksChanged() {
      tellTrunksChanged();
      notifications.notify("trunks");
    },
    /** To be called after each change of a key or of an organization's state: takes effect at once here, soon elsewhere. */
    keysChanged(organizationId: string) {
      authenticator.forget(organizationId);
      notifications.notify("keys", organizationId);
    },
  };

  const routes = { public: publicRoutes(deps), private: privateRoutes(deps) };
  const operatorToken = given.operatorToken ?? (await readOperatorToken(config));
  let hasStarted = false;
  let isDraining = false;
  const admin = createHttpServer({
    prefixes: ["/private/v1"],
    routes: config.roles.has("admin") ? routes.private : [],
    rootRoutes: [
      ...healthRoutes({
        isReady: () => isMigrated(database, migrations),
        hasStarted: () => hasStarted,
        isDraining: () => isDraining,
        metrics,
      }),
      ...(config.roles.has("admin") ? demoPageRoutes({ config }) : []),
    ],
    guard: createOperatorGuard(operatorToken),
    formats: leadFormats,
    logger,
    docsUrl: `${config.public.url}/docs`,
    trustedProxies: config.trustedProxies,
    onRequestDone: (record) => metrics.requestDone("private", record),
  });
  const adminPort = await listen(admin, config.admin);
  // How far a drain is can be seen while it lasts.
  closers.push(() => calls.endCalls());

  let publicPort = config.public.port;
  const { vendors } = calls;
  if (config.roles.has("api") || vendors) {
    const isApi = config.roles.has("api");
    const api = createHttpServer({
      prefixes: ["/v1", "/public/v1"],
      // Vendors reach the process that runs a call, whatever else it does.
      routes: isApi ? routes.public : callCallbackRoutes(deps),
      rootRoutes: isApi ? rootRoutes(deps) : [],
      ...(vendors ? { takeUpgrade: vendors.mediaSockets.handleUpgrade } : {}),
      guard: createApiGuard({
        authenticator,
        rateLimiter,
        beginIdempotent: (scope, body) => beginIdempotent({ database, clock }, scope, body),
        onUse: activity.used,
        onRateLimited: metrics.rateLimited,
      }),
      formats: leadFormats,
      logger,
      docsUrl: `${config.public.url}/docs`,
      trustedProxies: config.trustedProxies,
      onRequestDone: (record) => metrics.requestDone("public", record),
    });
    publicPort = await listen(api, config.public);
  }
  // The last to be added is the first to be closed: while requests are still answered, no more calls are begun.
  // Calls over vendors' APIs end with the help of requests: they end before the server does.
  closers.push(async () => (vendors ? calls.endCalls() : void calls.voice?.drain()));
  if (config.roles.has("dialer")) {
    const dialer = startDialer({ ...calls, ...dialing, logger }, connection);
    wakeDialer.push(dialer.wake);
    closers.push(() => dialer.stop());
  }
  closers.push(async () => {
    isDraining = true;
  });

  const service: Service = {
    routes,
    publicUrl: `http://${config.public.host}:${publicPort}`,
    adminUrl: `http://${config.admin.host}:${adminPort}`,
    database,
    close,
  };
  await given.whenListening?.(service);
  hasStarted = true;
  return service;
}

async function rateLimiterFor(config: Config, clock: Clock, logger: Logger): Promise<RateLimiter> {
  const inMemory = memoryRateLimiter(clock);
  if (config.redisUrl === null) return inMemory;
  const { redisRateLimiter } = await import("./http/rate-limit/redis-rate-limiter.ts");
  return redisRateLimiter({
    url: config.redisUrl,
    clock,
    fallback: inMemory,
    onDown: (error) => logger.error({ err: error }, "Redis is down: each process limits rates by itself"),
    onUp: () => logger.info("Redis is back: rate limits are shared again"),
  });
}

export async function connectionFor(
  config: Config,
  logger: Logger,
  closers: (() => Promise<unknown>)[],
): Promise<ConnectionOptions> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl };
  // Loaded only where it is used: a service with DATABASE_URL has no need of it.
  const { startEmbeddedPostgres } = await import("./database/embedded/index.ts");
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (level, message, fields) => logger[level](fields ?? {}, message),
  });
  closers.push(() => postgres.stop());
  return postgres.connection;
}

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Database } from "../database/database.ts";
import type { RequestRecord } from "../http/guard.ts";
import type { EngineMeter } from "../voice/engines/engine-meter.ts";
import { createEngineMetrics } from "./engine-metrics.ts";
import { countRequests } from "./request-figures.ts";

/** What the webhook feature tells of its queue when the metrics are read. */
export interface DeliveryFigures {
  /** Deliveries by state. */
  byState: Readonly<Record<string, number>>;
  /** Seconds since the oldest due delivery came due; 0 when none waits. */
  oldestDueSeconds: number;
}

/** What the dialers of all processes are at, when the metrics are read. */
export interface DialingFigures {
  /** Attempts under way, by state. */
  live: Readonly<Record<string, number>>;
  /** Seconds since the first lead of an active campaign that is due came due; 0 when none is. */
  oldestDueSeconds: number;
}

export interface Metrics {
  requestDone(api: "public" | "private", record: RequestRecord): void;
  rateLimited(): void;
  /** One webhook attempt ended: `success`, or why it failed. */
  attemptEnded(outcome: string): void;
  calls: {
    ended(call: { status: string; carrier: string }): void;
    answered(call: { carrier: string; seconds: number }): void;
    asked(request: { kind: string; outcome: string }): void;
    /** How many calls this process runs is asked for when the metrics are read. */
    countLive(count: () => number): void;
    engines: EngineMeter;
  };
  dialing: {
    /** An attempt is settled, or was dropped before anything was dialed. */
    attemptEnded(outcome: string): void;
  };
  /** The Prometheus text. Figures of the database are left out while it is away. */
  render(): Promise<string>;
  contentType: string;
}

const SETUP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** A registry of this service's own: several services in one process (as in tests) don't meet. */
export function createMetrics(deps: {
  database: Database;
  deliveries: () => Promise<DeliveryFigures>;
  dialing: () => Promise<DialingFigures>;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = countRequests();
  const refusals = new Counter({
    name: "outreach_rate_limit_refusals_total",
    help: "Requests refused with 429",
    registers,
  });
  const attempts = new Counter({
    name: "outreach_webhook_attempts_total",
    help: "Webhook delivery attempts, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const callsEnded = new Counter({
    name: "outreach_calls_total",
    help: "Calls that have ended, by status and carrier",
    labelNames: ["status", "carrier"],
    registers,
  });
  const callSetup = new Histogram({
    name: "outreach_call_setup_seconds",
    help: "Time from the request of a call to its answer",
    labelNames: ["carrier"],
    buckets: SETUP_SECONDS,
    registers,
  });
  const voiceRequests = new Counter({
    name: "outreach_voice_requests_total",
    help: "What this process asked of others that run calls, by kind and outcome",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const callsLive = new Gauge({
    name: "outreach_calls_live",
    help: "Calls that this process runs",
    registers,
  });
  let countLiveCalls = () => 0;
  const dialAttempts = new Counter({
    name: "outreach_dial_attempts_total",
    help: "Attempts of campaigns that have ended, by outcome; `dropped` ones were never dialed",
    labelNames: ["outcome"],
    registers,
  });
  const dialLive = new Gauge({
    name: "outreach_dial_attempts_live",
    help: "Attempts of campaigns under way in all processes, by state",
    labelNames: ["state"],
    registers,
  });
  const dialDue = new Gauge({
    name: "outreach_dial_oldest_due_seconds",
    help: "How long the first lead of an active campaign has been due",
    registers,
  });
  const states = new Gauge({
    name: "outreach_webhook_deliveries",
    help: "Webhook deliveries stored, by state",
    labelNames: ["state"],
    registers,
  });
  const oldestDue = new Gauge({
    name: "outreach_webhook_oldest_due_seconds",
    help: "How long the oldest due delivery has been waiting",
    registers,
  });
  const pool = new Gauge({
    name: "outreach_database_pool_connections",
    help: "Connections of the database pool, by state; `waiting` are requests for one",
    labelNames: ["state"],
    registers,
  });
  const memory = new Gauge({
    name: "outreach_process_resident_memory_bytes",
    help: "Resident memory of this process",
    registers,
  });
  const uptime = new Gauge({
    name: "outreach_process_uptime_seconds",
    help: "Time since this process started",
    registers,
  });

  // Counted here until the metrics are read: finding a series by its labels costs more than counting.
  const ended = new Map<string, number>();

  return {
    requestDone: requests.add,
    rateLimited: () => refusals.inc(),
    attemptEnded: (outcome) => void ended.set(outcome, (ended.get(outcome) ?? 0) + 1),
    calls: {
      ended: ({ status, carrier }) => callsEnded.inc({ status, carrier }),
      answered: ({ carrier, seconds }) => callSetup.observe({ carrier }, seconds),
      asked: ({ kind, outcome }) => voiceRequests.inc({ kind, outcome }),
      countLive(count) {
        countLiveCalls = count;
      },
      engines: createEngineMetrics(registry),
    },
    dialing: { attemptEnded: (outcome) => dialAttempts.inc({ outcome }) },
    async render() {
      for (const [outcome, count] of ended) attempts.inc({ outcome }, count);
      ended.clear();
      const use = deps.database.poolUse();
      pool.set({ state: "busy" }, use.size - use.idle);
      pool.set({ state: "idle" }, use.idle);
      pool.set({ state: "waiting" }, use.waiting);
      pool.set({ state: "max" }, use.max);
      memory.set(process.memoryUsage.rss());
      uptime.set(process.uptime());
      callsLive.set(countLiveCalls());
      states.reset();
      const dialing = await deps.dialing().catch(() => null);
      dialLive.reset();
      if (dialing) {
        for (const [state, count] of Object.entries(dialing.live)) dialLive.set({ state }, count);
        dialDue.set(dialing.oldestDueSeconds);
      }
      const figures = await deps.deliveries().catch(() => null);
      if (figures) {
        for (const [state, count] of Object.entries(figures.byState)) states.set({ state }, count);
        oldestDue.set(figures.oldestDueSeconds);
      }
      return requests.text() + (await registry.metrics());
    },
    contentType: registry.contentType,
  };
}

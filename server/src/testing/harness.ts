import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { type Clock, systemClock } from "../clock.ts";
import { type Config, readConfig } from "../config.ts";
import type { Database } from "../database/database.ts";
import { createKey } from "../features/api-keys/index.ts";
import { createOrganization } from "../features/organizations/index.ts";
import { idsFrom } from "../ids.ts";
import { type Service, type ServiceOptions, startService } from "../service.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

export interface TestRequest {
  method?: string;
  /** An API key, sent as Bearer. */
  key?: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface TestResponse<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  /** Parsed when the answer is JSON, else its text. */
  body: Body;
}

export interface TestService {
  service: Service;
  database: Database;
  testDatabase: TestDatabase;
  clock: Clock;
  config: Config;
  publicUrl: string;
  adminUrl: string;
  /** To the public port. `path` begins with `/`: `/v1/leads`. */
  call<Body = Record<string, unknown>>(path: string, request?: TestRequest): Promise<TestResponse<Body>>;
  /** To the private port, with the operator token. */
  callPrivate<Body = Record<string, unknown>>(
    path: string,
    request?: TestRequest,
  ): Promise<TestResponse<Body>>;
  /** A new organization and a key with every scope (or these) and a rate limit that doesn't get in the way. */
  newOrganization(options?: {
    sandbox?: boolean;
    scopes?: string[];
    rateLimit?: number;
  }): Promise<{ organizationId: string; key: string; keyId: string }>;
  close(): Promise<void>;
}

export const OPERATOR_TOKEN = "test-operator-token-0123456789";

/** A running service on a database of its own, on ports of its own. */
export async function startTestService(
  options: {
    clock?: Clock;
    environment?: Record<string, string>;
    /** Use this database, and leave it in place at the end. */
    testDatabase?: TestDatabase;
    service?: Partial<ServiceOptions>;
  } = {},
): Promise<TestService> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), "outreach-test-data-"));
  const config = readConfig({
    PORT: "0",
    ADMIN_PORT: "0",
    DATA_DIR: dataDir,
    DEMO: "0",
    LOG_LEVEL: "silent",
    ...options.environment,
  });
  const clock = options.clock ?? systemClock();
  const service = await startService({
    config,
    logger: pino({ level: config.logLevel }),
    clock,
    connection: testDatabase.connection,
    operatorToken: OPERATOR_TOKEN,
    ...options.service,
    // A test that ends doesn't wait for the calls it has started.
    voice: { drainMs: 0, ...options.service?.voice },
  });
  const deps = { database: service.database, clock, newId: idsFrom(clock) };

  return {
    service,
    database: service.database,
    testDatabase,
    clock,
    config,
    publicUrl: service.publicUrl,
    adminUrl: service.adminUrl,
    call: (path, request = {}) => send(service.publicUrl + path, request),
    callPrivate: (path, request = {}) => send(service.adminUrl + path, { key: OPERATOR_TOKEN, ...request }),
    async newOrganization({ sandbox = false, scopes, rateLimit = 1_000_000 } = {}) {
      const organization = await createOrganization(deps, { actor: "test", name: "Test", sandbox });
      const made = await createKey(deps, {
        organizationId: organization.id,
        actor: "test",
        name: "test",
        scopes,
        rateLimitPerMinute: rateLimit,
      });
      return { organizationId: organization.id, key: made.key, keyId: made.id };
    },
    async close() {
      await service.close();
      if (!options.testDatabase) await testDatabase.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function send<Body>(
  url: string,
  { method, key, json, body, headers }: TestRequest,
): Promise<TestResponse<Body>> {
  const sent = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(url, {
    method: method ?? (sent === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent as string }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Body,
  };
}

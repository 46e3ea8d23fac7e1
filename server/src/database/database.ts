import pg from "pg";
import { rowsQueries } from "./rows-query.ts";
import type { Statement } from "./statement.ts";
import { getTypeParser } from "./type-parsers.ts";

export type { Statement };

export interface Queryable {
  /** Runs one statement and returns its rows. Timestamps come back as ISO 8601 UTC text, bigints as numbers. */
  query<Row>(statement: Statement): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /** Runs `callback` once the transaction has committed; never when it rolled back. */
  afterCommit(callback: () => void): void;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction: commits when it returns, rolls back when it throws. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Lends one connection for as long as `work` runs: for COPY, cursors, session locks, LISTEN. */
  withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** How the pool is used right now. */
  poolUse(): { size: number; idle: number; waiting: number; max: number };
  close(): Promise<void>;
}

export interface ConnectionOptions {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}

export interface DatabaseOptions {
  connection: ConnectionOptions;
  poolSize: number;
  /** Settings of the server for these connections, such as how statements are planned. */
  settings?: Readonly<Record<string, string>>;
  /** Called with errors of idle connections, which concern no request. */
  onError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A lost network can't hold a request longer than this; imports and exports write in statements far below it. */
const QUERY_TIMEOUT_MS = 30_000;

export function openDatabase({ connection, poolSize, settings, onError }: DatabaseOptions): Database {
  const allSettings = { TimeZone: "UTC", DateStyle: "ISO", ...settings };
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    application_name: "outreach",
    options: Object.entries(allSettings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    // Also for those who borrow a connection and read from it by themselves.
    types: { getTypeParser },
  });
  let closing = false;
  pool.on("error", (error) => {
    // The pool doesn't wait for its last goodbyes: the server may be gone by then.
    if (!closing) onError?.(error);
  });
  // The pool listens to its idle connections only. One that breaks in a borrower's hands, between two statements, would
  // end the process; the borrower learns of it by its next statement.
  pool.on("connect", (client) => client.on("error", () => {}));

  const rowsQuery = rowsQueries();
  const onPool = <Row>(statement: Statement) =>
    new Promise<Row[]>((resolve, reject) => {
      pool.connect((connectError, client) => {
        if (!client) return reject(connectError);
        client.query(
          rowsQuery<Row>(statement, (error, rows) => {
            client.release(error ?? undefined);
            if (error) reject(error);
            else resolve(rows);
          }),
        );
      });
    });
  const onClient = <Row>(client: pg.PoolClient, statement: Statement) =>
    new Promise<Row[]>((resolve, reject) => {
      client.query(rowsQuery<Row>(statement, (error, rows) => (error ? reject(error) : resolve(rows))));
    });

  return {
    query: (statement) => traced(onPool(statement)),
    async transaction(work) {
      const client = await pool.connect();
      const committed: (() => void)[] = [];
      let broken: Error | undefined;
      try {
        await client.query("BEGIN");
        const result = await work({
          query: (statement) => traced(onClient(client, statement)),
          afterCommit: (callback) => committed.push(callback),
        });
        await client.query("COMMIT");
        for (const callback of committed) callback();
        return result;
      } catch (error) {
        // A connection that can't roll back is in an unknown state: it leaves the pool.
        await client.query("ROLLBACK").catch((rollbackError: Error) => {
          broken = rollbackError;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async withConnection(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        return await work(client);
      } catch (error) {
        broken = error instanceof Error ? error : new Error(String(error));
        throw error;
      } finally {
        client.release(broken);
      }
    },
    poolUse: () => ({
      size: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: poolSize,
    }),
    close() {
      closing = true;
      return pool.end();
    },
  };
}

/** The driver's errors were made where its socket is read: their stack is replaced by the one that leads to the caller. */
async function traced<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** Milliseconds since the epoch as the ISO text that statements take for timestamps. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

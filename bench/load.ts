import { Worker } from "node:worker_threads";

export interface LoadResult {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers by status. */
  statuses: Record<string, number>;
}

export interface LoadOptions {
  url: string;
  connections: number;
  seconds: number;
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  /** `random`: a lead with a number that hardly any other has. */
  body?: "random-lead";
}

/**
 * Sends as fast as the answers come, over keep-alive connections, from a thread of its own: requests are written as bytes made
 * beforehand and answers are only framed, so that the load takes as little as it can of the two cores that it shares with
 * what it measures.
 */
export function load(options: LoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./load-worker.js", import.meta.url), { workerData: options });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

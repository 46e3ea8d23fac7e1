import { mkdtemp, rm } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import type { RecordingsS3Config } from "../voice-config.ts";
import { isSigned } from "./s3-signature.ts";

/** The fake store's only account, and its secret. */
const ACCOUNT = "S3RVER";

export interface S3Server {
  settings: RecordingsS3Config;
  /** Refuses every request from now on, or takes them again. */
  setAway(away: boolean): void;
  /** Answers 500 to the next request whose method and path match. */
  failOnce(which: RegExp): void;
  /** Requests that came since the start, as `PUT /bucket/key?query`. */
  requests: string[];
  close(): Promise<void>;
}

/** An S3 store on loopback that checks signatures. */
export async function startS3Server(change: Partial<RecordingsS3Config> = {}): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), "outreach-s3-"));
  const bucket = "recordings";
  const s3 = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  await s3.run();
  const server = s3.httpServer as Server;
  const requests: string[] = [];
  let away = false;
  let failing: RegExp | null = null;
  const [answer] = server.listeners("request") as [RequestListener];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (away) request.destroy();
    else if (failing?.test(requests.at(-1)!)) {
      failing = null;
      response.writeHead(500).end();
    } else if (request.headers.authorization?.includes(`=${ACCOUNT}/`) && !isSigned(request, ACCOUNT))
      response.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
    else answer(request, response);
  });
  return {
    settings: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket,
      region: "us-east-1",
      accessKeyId: ACCOUNT,
      secretAccessKey: ACCOUNT,
      prefix: "",
      ...change,
    },
    failOnce(which) {
      failing = which;
    },
    setAway(next) {
      away = next;
    },
    requests,
    async close() {
      server.closeAllConnections();
      await s3.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

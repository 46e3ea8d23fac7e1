import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { LoadOptions, LoadResult } from "./load.ts";

async function loadHere({
  url,
  connections,
  seconds,
  method,
  path,
  headers,
  body,
}: LoadOptions): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const head = `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}`;
  const next = () => {
    if (body === undefined) return `${head}\r\n`;
    const digits = String(Math.floor(Math.random() * 9e9) + 1e9);
    const json = `{"phone_number":"+44${digits}","first_name":"Ada","last_name":"Lovelace","email_address":"ada@example.com","consent_source":"web_form","notes":"benchmark"}`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
  };

  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const started = performance.now();
  const end = started + seconds * 1000;
  const warm = started + Math.min(2000, seconds * 200);
  let measured = 0;
  const one = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let buffered = "";
      let sentAt = performance.now();
      socket.setNoDelay(true);
      socket.setEncoding("latin1");
      socket.on("error", reject);
      socket.on("close", () => resolve());
      socket.on("data", (chunk: string) => {
        buffered += chunk;
        const split = buffered.indexOf("\r\n\r\n");
        if (split < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, split))?.[1] ?? 0);
        if (buffered.length < split + 4 + length) return;
        const now = performance.now();
        const status = buffered.slice(9, 12);
        buffered = buffered.slice(split + 4 + length);
        if (now > warm) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          latencies.push(now - sentAt);
          measured++;
        }
        if (now >= end) {
          socket.end();
          return;
        }
        sentAt = now;
        socket.write(next());
      });
      socket.write(next());
    });
  await Promise.all(
    Array.from({ length: connections }, () => one(connect({ host: hostname, port: Number(port) }))),
  );
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
  return {
    requestsPerSecond: measured / ((end - warm) / 1000),
    p50: at(0.5),
    p99: at(0.99),
    statuses,
  };
}

parentPort!.postMessage(await loadHere(workerData as LoadOptions));

import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface LossyRelay {
  readonly port: number;
  /** Where packets go on to. */
  leadTo(port: number): void;
  /** What has come in and was let through or lost, over there and back. */
  readonly counts: Record<"there" | "back", { passed: number; lost: number }>;
  close(): void;
}

/** A way on which a share of the packets is lost, in both directions: the same ones for the same seed. */
export async function lossyRelay(share: number, seed: number): Promise<LossyRelay> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const counts = { there: { passed: 0, lost: 0 }, back: { passed: 0, lost: 0 } };
  let target: number | null = null;
  let source: number | null = null;
  let state = seed;
  const chance = () => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  socket.on("message", (bytes, from) => {
    const isBack = from.port === target;
    if (!isBack) source = from.port;
    const to = isBack ? source : target;
    const count = counts[isBack ? "back" : "there"];
    if (to === null || chance() < share) return void count.lost++;
    count.passed++;
    socket.send(bytes, to, "127.0.0.1");
  });
  return {
    port: socket.address().port,
    leadTo(port) {
      target = port;
    },
    counts,
    close: () => void socket.close(),
  };
}

import { createHash, randomBytes } from "node:crypto";

export interface KeyMaterial {
  /** `service_live_<64 hex>` or `service_test_<64 hex>`. Shown once, never stored. */
  key: string;
  hash: Buffer;
  /** For people to tell keys apart. */
  prefix: string;
}

export function makeKey(sandbox: boolean): KeyMaterial {
  const key = `service_${sandbox ? "test" : "live"}_${randomBytes(32).toString("hex")}`;
  return { key, hash: createHash("sha256").update(key).digest(), prefix: key.slice(0, 17) };
}

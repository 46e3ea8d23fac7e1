import { isIP } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { parseIsoDateTime } from "./iso-date-time.ts";
import { readVoiceConfig, type VoiceConfig } from "./voice-config.ts";

const ROLES = ["api", "admin", "dispatcher", "dialer", "voice", "janitor"] as const;
export type Role = (typeof ROLES)[number];

/** Everything the environment decides, read once at start. */
export interface Config extends VoiceConfig {
  production: boolean;
  roles: ReadonlySet<Role>;
  public: { host: string; port: number; url: string };
  admin: { host: string; port: number };
  dataDir: string;
  /** null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  databasePoolSize: number;
  redisUrl: string | null;
  /** Milliseconds since the epoch at which the service's clock starts, or null for the system's time. */
  clockStart: number | null;
  demo: boolean;
  webhookAllowPrivateTargets: boolean;
  /** Addresses or networks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  logLevel: string;
  /** Of the account whose texts are taken; null: none are. */
  twilioAuthToken: string | null;
  /** Base64 of the 32 bytes that Telnyx's portal shows; null: no texts are taken from there. */
  telnyxPublicKey: string | null;
  /** The operator token of the private API; null: the one in DATA_DIR's `admin.token`. */
  adminToken: string | null;
}

/** Thrown with every mistake of the environment at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? "a mistake" : `${problems.length} mistakes`}:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
    );
    this.problems = problems;
  }
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/**
 * Reads the whole configuration. This is the only place that looks at the environment.
 * @throws ConfigError naming every mistake
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const text = (name: string): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    problems.push(`${name} must be a whole number from ${min} to ${max}, but is "${value}".`);
    return fallback;
  };
  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name);
    if (value === null) return fallback;
    if (["1", "true", "yes", "on"].includes(value.toLowerCase())) return true;
    if (["0", "false", "no", "off"].includes(value.toLowerCase())) return false;
    problems.push(`${name} must be 1 or 0, but is "${value}".`);
    return fallback;
  };
  const address = (name: string, protocols: readonly string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url && protocols.includes(url.protocol)) return value;
    // The value may hold a password: it is not repeated.
    problems.push(
      `${name} must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}.`,
    );
    return null;
  };

  const production = text("NODE_ENV") === "production";
  const publicPort = whole("PORT", 8080, 0, 65_535);
  const adminPort = whole("ADMIN_PORT", 8081, 0, 65_535);
  if (publicPort !== 0 && publicPort === adminPort) {
    problems.push(
      `PORT and ADMIN_PORT must differ, but both are ${publicPort}: the private API is never served on the public port.`,
    );
  }

  const roles = new Set<Role>();
  for (const name of listOf(text("ROLES") ?? ROLES.join(","))) {
    const role = ROLES.find((known) => known === name);
    if (role) roles.add(role);
    else problems.push(`ROLES has the unknown role "${name}"; known are ${ROLES.join(", ")}.`);
  }
  if (roles.size === 0 && problems.length === 0)
    problems.push("ROLES names no role: this process would do nothing.");
  if (roles.has("dialer") && !roles.has("voice"))
    problems.push('ROLES has "dialer" without "voice": a dialer places calls in its own process.');

  let clockStart: number | null = null;
  const clockText = text("CLOCK_START");
  if (clockText !== null) {
    clockStart = parseIsoDateTime(clockText)?.getTime() ?? null;
    if (clockStart === null)
      problems.push(`CLOCK_START must be an ISO 8601 date-time, but is "${clockText}".`);
    if (production)
      problems.push("CLOCK_START is for development only and is refused when NODE_ENV=production.");
  }

  const webhookAllowPrivateTargets = flag("WEBHOOK_ALLOW_PRIVATE_TARGETS", false);
  if (webhookAllowPrivateTargets && production) {
    problems.push(
      "WEBHOOK_ALLOW_PRIVATE_TARGETS=1 is for development only and is refused when NODE_ENV=production.",
    );
  }

  const logLevel = (text("LOG_LEVEL") ?? "info").toLowerCase();
  if (!LOG_LEVELS.includes(logLevel))
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, but is "${logLevel}".`);

  const adminToken = text("ADMIN_TOKEN");
  if (adminToken !== null && adminToken.length < 16)
    problems.push("ADMIN_TOKEN must have at least 16 characters.");

  const twilioAuthToken = text("TWILIO_AUTH_TOKEN");
  if (twilioAuthToken !== null && /\s/.test(twilioAuthToken))
    problems.push("TWILIO_AUTH_TOKEN must be the account's auth token, without spaces.");
  const telnyxPublicKey = text("TELNYX_PUBLIC_KEY");
  if (telnyxPublicKey !== null && !/^[A-Za-z0-9+/]{43}=$/.test(telnyxPublicKey))
    problems.push("TELNYX_PUBLIC_KEY must be the public key of the account: 44 characters of base64.");

  const publicUrl = address("PUBLIC_URL", ["http:", "https:"]);
  if (publicUrl !== null && /[?#@]/.test(publicUrl)) {
    problems.push(
      "PUBLIC_URL must be an address that paths can be added to, without user, query or fragment.",
    );
  }
  const trustedProxies = listOf(text("TRUSTED_PROXIES") ?? "");
  for (const entry of trustedProxies) {
    if (isAddressOrNetwork(entry)) continue;
    problems.push(
      `TRUSTED_PROXIES has "${entry}", which is no IP address and no network such as 10.0.0.0/8.`,
    );
  }
  const url = (publicUrl ?? `http://localhost:${publicPort}`).replace(/\/+$/, "");
  const dataDir = text("DATA_DIR") ?? "./data";

  const config: Config = {
    production,
    roles,
    public: {
      host: text("HOST") ?? "127.0.0.1",
      port: publicPort,
      url,
    },
    admin: { host: text("ADMIN_HOST") ?? "127.0.0.1", port: adminPort },
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    databaseUrl: address("DATABASE_URL", ["postgres:", "postgresql:"]),
    databasePoolSize: whole("DATABASE_POOL_SIZE", 20, 2, 1000),
    redisUrl: address("REDIS_URL", ["redis:", "rediss:"]),
    clockStart,
    demo: flag("DEMO", true),
    webhookAllowPrivateTargets,
    trustedProxies,
    logLevel,
    adminToken,
    twilioAuthToken,
    telnyxPublicKey,
    ...readVoiceConfig({ text, address, whole, publicUrl: url, problems }),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

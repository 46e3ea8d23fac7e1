import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { Refusal, UsageError } from "./failure.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The checkout that this program is part of. The same from `src/` and from `dist/`. */
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** The private API, at ADMIN_URL with ADMIN_TOKEN. */
export function privateApi(environment: Environment): ApiClient {
  const base =
    address(environment, "ADMIN_URL") ?? `http://127.0.0.1:${text(environment, "ADMIN_PORT") ?? "8081"}`;
  return createApiClient({
    baseUrl: `${base}/private/v1`,
    token: () => operatorToken(environment),
    headers: { "x-outreach-actor": actor() },
    hint: "Start the service with `npm start`, or set ADMIN_URL to where it runs.",
  });
}

/** The public API, with a key of an organization. */
export function publicApi(environment: Environment, key: string, given?: string): ApiClient {
  const base =
    given?.replace(/\/+$/, "") ??
    address(environment, "PUBLIC_URL") ??
    `http://127.0.0.1:${text(environment, "PORT") ?? "8080"}`;
  if (!URL.canParse(base)) throw new UsageError(`--api must be an address such as http://127.0.0.1:8080.`);
  return createApiClient({
    baseUrl: `${base}/v1`,
    token: () => key,
    hint: "Start the service with `npm start`, or name its public address with --api.",
  });
}

/** @throws Refusal no_operator_token */
function operatorToken(environment: Environment): string {
  const given = text(environment, "ADMIN_TOKEN");
  if (given !== undefined) return given;
  const dataDir = text(environment, "DATA_DIR");
  // From elsewhere in the checkout the service's data is still where `npm start` puts it.
  const files = (dataDir === undefined ? [resolve("data"), join(PROJECT, "data")] : [resolve(dataDir)]).map(
    (folder) => join(folder, "admin.token"),
  );
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw new Refusal({
      error: "no_operator_token",
      message: `There is no operator token: ADMIN_TOKEN isn't set, and ${files[0]} doesn't exist. The service makes that file when it first starts; set DATA_DIR when it is elsewhere.`,
    });
  }
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Refusal({
      error: "no_operator_token",
      message: `${file} can't be read (${error instanceof Error ? error.message : String(error)}). Run this as the user who runs the service, or set ADMIN_TOKEN.`,
    });
  }
}

/** Who this is, for the audit log: a header takes printable ASCII only. */
function actor(): string {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = String(process.getuid?.() ?? "unknown");
  }
  return `cli:${name.replace(/[^\x20-\x7e]/g, "?").slice(0, 90)}`;
}

function address(environment: Environment, name: string): string | undefined {
  const value = text(environment, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new UsageError(`${name} must be an address such as http://127.0.0.1:8081, but is "${value}".`);
  }
  return value.replace(/\/+$/, "");
}

function text(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

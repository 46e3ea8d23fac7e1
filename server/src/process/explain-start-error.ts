import { type Config, ConfigError } from "../config.ts";
import { EmbeddedPostgresError, errorCode, errorMessage } from "../database/embedded/errors.ts";
import { MigrationError } from "../database/migrate.ts";

/** How PostgreSQL and the network say that a database can't be used, and what that means to who set DATABASE_URL. */
const DATABASE_ERRORS: Readonly<Record<string, string>> = {
  "28P01": "refuses the password",
  "28000": "refuses the user",
  "3D000": "has no database of that name",
  "42501": "gives the user too few rights: it must be allowed to create tables in the database",
  "53300": "has no connection left for this service",
  "57P03": "is starting up or shutting down",
  ECONNREFUSED: "doesn't answer: nothing listens there",
  ECONNRESET: "broke the connection off",
  ENOTFOUND: "can't be found: the host name is unknown",
  EAI_AGAIN: "can't be found: the host name could not be looked up",
  EHOSTUNREACH: "can't be reached",
  ENETUNREACH: "can't be reached",
  ETIMEDOUT: "doesn't answer in time",
  ENOENT: "doesn't answer: there is no such socket",
};

/**
 * Why the service doesn't start, in words for who starts it: one line, or the list of the configuration's mistakes.
 * Null for an error that nobody foresaw, of which the stack tells more.
 */
export function explainStartError(error: unknown, config: Config): string | null {
  if (
    error instanceof ConfigError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationError
  ) {
    return error.message;
  }
  const code = errorCode(error);
  if (code === undefined) return null;
  const { syscall, port, path, hostname, address } = error as NodeJS.ErrnoException & {
    port?: number;
    hostname?: string;
    address?: string;
  };
  if (syscall === "listen" || (syscall === "getaddrinfo" && hostname !== databaseHost(config))) {
    return explainListenError(code, { port, host: address ?? hostname ?? "" }, config);
  }
  if (path?.startsWith(config.dataDir)) {
    return `The data folder ${config.dataDir} can't be used (${errorMessage(error)}). Set DATA_DIR to a folder that the service may write to.`;
  }
  const meaning = DATABASE_ERRORS[code];
  if (config.databaseUrl !== null && meaning !== undefined) {
    return `The database that DATABASE_URL names (${databasePlace(config.databaseUrl)}) ${meaning}.`;
  }
  return null;
}

function explainListenError(
  code: string,
  { port, host }: { port: number | undefined; host: string },
  config: Config,
): string {
  const isAdmin = port === undefined ? host === config.admin.host : port === config.admin.port;
  const [what, portName, hostName] = isAdmin
    ? ["private API", "ADMIN_PORT", "ADMIN_HOST"]
    : ["public API", "PORT", "HOST"];
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program: stop that one, or set ${portName} to another port for the ${what}.`;
    case "EACCES":
      return `Port ${port} may not be used by this user: set ${portName} to one above 1023 for the ${what}.`;
    default:
      return `The ${what} can't listen on ${host} (${code}): set ${hostName} to an address of this machine.`;
  }
}

function databaseHost(config: Config): string | null {
  return config.databaseUrl === null ? null : new URL(config.databaseUrl).hostname;
}

/** Where it is, without the password. */
function databasePlace(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  return `${url.hostname || "its default host"}:${url.port || 5432}${url.pathname}`;
}

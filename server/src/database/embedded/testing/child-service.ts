/**
 * A process of its own that runs the built-in PostgreSQL, for the tests that kill it. Takes the options as JSON in its
 * first argument; prints one line of JSON when it runs or is refused; stops on SIGTERM.
 */
import { EmbeddedPostgresError, startEmbeddedPostgres } from "../index.ts";

async function run(): Promise<void> {
  const options: { dataDir: string; packageDir: string } = JSON.parse(process.argv[2] ?? "{}");
  try {
    const postgres = await startEmbeddedPostgres({
      ...options,
      log: (level, message) => process.stderr.write(`${level} ${message}\n`),
    });
    process.on("SIGTERM", () => {
      postgres.stop().then(() => process.exit(0));
    });
    process.stdout.write(`${JSON.stringify({ pid: postgres.pid, connection: postgres.connection })}\n`);
    setInterval(() => {}, 60_000);
  } catch (error) {
    const code = error instanceof EmbeddedPostgresError ? error.code : "unknown";
    process.stdout.write(`${JSON.stringify({ code, message: String(error) })}\n`);
    process.exitCode = 1;
  }
}

void run();

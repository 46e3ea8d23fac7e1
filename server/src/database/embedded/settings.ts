/**
 * What the server runs with, on its command line: a cluster that an older version of this service made gets today's
 * settings too. For a small machine that does other things as well.
 */
export const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  // An acknowledged write survives a crash of the process and of the machine.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",

  max_connections: "100",
  shared_buffers: "128MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  random_page_cost: "1.1",
  jit: "off",
  wal_compression: "on",
  min_wal_size: "128MB",
  max_wal_size: "1GB",
  checkpoint_timeout: "10min",

  timezone: "UTC",
  log_timezone: "UTC",
  // The service's own log adds the time.
  log_line_prefix: "",
  log_checkpoints: "off",
  // Errors of statements reach the caller. In a log they could show a lead's phone number: "LOG" leaves them out
  // (for the server's log it ranks above ERROR), and what remains comes without its details and its statement.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_destination: "stderr",
  logging_collector: "off",
};

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/src/**/*.test.ts", "cli/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Conditions come about when they do: on a busy machine later than in the default second.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ["server/src/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // A process for many files: nothing has state of its own at the level of a module, and loading it all anew took a quarter of the time.
    isolate: false,
  },
});

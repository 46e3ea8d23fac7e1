import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/src/**/*.test.ts", "cli/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Conditions come about when they do: on a busy machine later than in the default second.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ["server/src/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
  },
});

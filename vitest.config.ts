import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/src/**/*.test.ts", "cli/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Conditions come about when they do: on a busy machine later than in the default second.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ["server/src/testing/global-setup.ts"],
    // Peers and media keep real time, which a shared CI machine may miss once. What fails twice fails; the output names what was retried.
    retry: process.env.CI === "true" ? 1 : 0,
    pool: "forks",
    maxWorkers: 2,
    // A process for many files: nothing has state of its own at the level of a module, and loading it all anew took a quarter of the time.
    isolate: false,
  },
});

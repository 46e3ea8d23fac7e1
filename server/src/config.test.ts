import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

describe("readConfig", () => {
  it("has a default for everything", () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      public: { host: "127.0.0.1", port: 8080, url: "http://localhost:8080" },
      admin: { host: "127.0.0.1", port: 8081 },
      databaseUrl: null,
      redisUrl: null,
      clockStart: null,
      demo: true,
      webhookAllowPrivateTargets: false,
    });
    expect([...config.roles]).toEqual(["api", "admin", "dispatcher", "dialer", "voice", "janitor"]);
  });

  it("tells all mistakes at once, and repeats no secret", () => {
    const read = () =>
      readConfig({
        PORT: "80800",
        ADMIN_PORT: "x",
        ROLES: "api,apy",
        CLOCK_START: "yesterday",
        DATABASE_URL: "mysql://u:secret@h/d",
        DEMO: "maybe",
        LOG_LEVEL: "loud",
        ADMIN_TOKEN: "short",
        TRUSTED_PROXIES: "10.0.0.1, 10.0.0.0/33",
        PUBLIC_URL: "https://example.com/?q",
        TWILIO_AUTH_TOKEN: "two words",
        TELNYX_PUBLIC_KEY: "c2hvcnQ=",
      });
    expect(read).toThrow(ConfigError);
    try {
      read();
    } catch (error) {
      const { problems, message } = error as ConfigError;
      for (const name of [
        "PORT",
        "ADMIN_PORT",
        "TWILIO_AUTH_TOKEN",
        "TELNYX_PUBLIC_KEY",
        "ROLES",
        "CLOCK_START",
        "DATABASE_URL",
        "DEMO",
        "LOG_LEVEL",
        "ADMIN_TOKEN",
        "TRUSTED_PROXIES",
        "PUBLIC_URL",
      ]) {
        expect(
          problems.filter((problem) => problem.startsWith(`${name} `)),
          name,
        ).toHaveLength(1);
      }
      expect(message).not.toContain("secret");
    }
  });

  it("refuses a dialer that can't place calls", () => {
    expect(() => readConfig({ ROLES: "api,dialer" })).toThrow(/ROLES has "dialer" without "voice"/);
    expect([...readConfig({ ROLES: "voice,dialer" }).roles]).toEqual(["voice", "dialer"]);
  });

  it("refuses what is for development when NODE_ENV=production", () => {
    expect(() => readConfig({ NODE_ENV: "production", CLOCK_START: "2026-01-01T00:00:00Z" })).toThrow(
      /CLOCK_START/,
    );
    expect(() => readConfig({ NODE_ENV: "production", WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" })).toThrow(
      /WEBHOOK_ALLOW_PRIVATE_TARGETS/,
    );
    expect(readConfig({ NODE_ENV: "production" }).production).toBe(true);
  });

  it("refuses one port for both sides", () => {
    expect(() => readConfig({ PORT: "9000", ADMIN_PORT: "9000" })).toThrow(/must differ/);
  });

  it.each([
    ["2026-03-08T01:59:59Z", Date.UTC(2026, 2, 8, 1, 59, 59)],
    ["2026-03-08T01:59:59-05:00", Date.UTC(2026, 2, 8, 6, 59, 59)],
    ["2026-03-08", Date.UTC(2026, 2, 8)],
    ["2026-03-08T10:00", Date.UTC(2026, 2, 8, 10)],
  ])("reads CLOCK_START=%s", (text, milliseconds) => {
    expect(readConfig({ CLOCK_START: text }).clockStart).toBe(milliseconds);
  });

  it.each(["2026-02-30", "2026-02-29T10:00:00Z", "2026-13-01", "2026-01-01T25:00Z"])(
    "refuses CLOCK_START=%s, which no calendar has",
    (text) => {
      expect(() => readConfig({ CLOCK_START: text })).toThrow(/CLOCK_START must be/);
    },
  );
});

import { describe, expect, it } from "vitest";
import { type ConfigError, readConfig } from "./config.ts";

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe("the settings of calls", () => {
  it("have defaults", () => {
    expect(readConfig({})).toMatchObject({
      voiceEngine: "scripted",
      rtpPorts: { from: 20_000, to: 29_999 },
      mediaAddress: null,
      iceServers: [],
      recordingsS3: null,
    });
  });

  it("take ICE servers as URLs, or as JSON with credentials", () => {
    expect(readConfig({ ICE_SERVERS: "stun:a.example:3478, turn:b.example" }).iceServers).toEqual([
      { urls: "stun:a.example:3478" },
      { urls: "turn:b.example" },
    ]);
    const servers = [{ urls: ["turn:a.example", "turns:a.example"], username: "u", credential: "c" }];
    expect(readConfig({ ICE_SERVERS: JSON.stringify(servers) }).iceServers).toEqual(servers);
  });

  it.each([
    [{ ICE_SERVERS: "http://a.example" }],
    [{ ICE_SERVERS: '[{"urls":"turn:a","credential":7}]' }],
    [{ ICE_SERVERS: '[{"credential":"secret"' }],
    [{ ICE_SERVERS: "[{}]" }],
    [{ RTP_PORTS: "20000" }],
    [{ RTP_PORTS: "20000-20001" }],
    [{ RTP_PORTS: "80-2000" }],
    [{ RTP_PORTS: "20000-70000" }],
    [{ MEDIA_ADDRESS: "here" }],
    [{ VOICE_ENGINE: "telepathy" }],
  ])("refuse %j, and repeat no secret", (environment) => {
    const problems = problemsOf(environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(Object.keys(environment)[0]!);
    expect(problems[0]).not.toContain("secret");
  });

  it("name a bucket with its address and keys", () => {
    const environment = {
      RECORDINGS_S3_ENDPOINT: "https://s3.example/",
      RECORDINGS_S3_BUCKET: "calls",
      RECORDINGS_S3_ACCESS_KEY_ID: "id",
      RECORDINGS_S3_SECRET_ACCESS_KEY: "key",
      RECORDINGS_S3_PREFIX: "outreach",
    };
    expect(readConfig(environment).recordingsS3).toEqual({
      endpoint: "https://s3.example",
      bucket: "calls",
      region: "us-east-1",
      accessKeyId: "id",
      secretAccessKey: "key",
      prefix: "outreach/",
    });
  });
});

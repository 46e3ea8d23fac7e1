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
      voiceEngines: [{ name: "scripted" }],
      rtpPorts: { from: 20_000, to: 29_999 },
      mediaAddress: null,
      iceServers: [],
      recordingsS3: null,
      mostCalls: Number.POSITIVE_INFINITY,
      voiceDrainMs: 15_000,
    });
  });

  it("bound the calls of a process, and how long it waits for them", () => {
    const config = readConfig({ VOICE_MAX_CALLS: "40", VOICE_DRAIN_SECONDS: "7200" });
    expect(config).toMatchObject({ mostCalls: 40, voiceDrainMs: 7_200_000 });
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
    [{ VOICE_MAX_CALLS: "0" }],
    [{ VOICE_DRAIN_SECONDS: "7201" }],
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

  it("name engines in order, each with what it needs", () => {
    const { voiceEngines } = readConfig({
      VOICE_ENGINE: "realtime, pipeline,scripted",
      REALTIME_URL: "wss://api.example/v1/realtime/",
      REALTIME_MODEL: "speech-1",
      REALTIME_API_KEY: "key",
      REALTIME_VOICES: "clara=alloy, otto=sage",
      STT_URL: "http://localhost:8000/v1",
      STT_MODEL: "ears",
      LLM_URL: "https://llm.example/v1/",
      LLM_MODEL: "brain",
    });
    expect(voiceEngines).toEqual([
      {
        name: "realtime",
        url: "wss://api.example/v1/realtime",
        apiKey: "key",
        model: "speech-1",
        transcriptionModel: "gpt-4o-mini-transcribe",
        voices: { clara: "alloy", marcus: "cedar", angus: "ballad", otto: "sage" },
      },
      {
        name: "pipeline",
        stt: { url: "http://localhost:8000/v1", apiKey: null, model: "ears" },
        llm: { url: "https://llm.example/v1", apiKey: null, model: "brain" },
        tts: null,
      },
      { name: "scripted" },
    ]);
  });

  it("tell everything that is wrong with engines at once, and repeat no secret", () => {
    const problems = problemsOf({
      VOICE_ENGINE: "realtime,pipeline,telepathy",
      REALTIME_URL: "wss://me:secret@api.example/v1/realtime",
      REALTIME_API_KEY: "two secret words",
      REALTIME_VOICES: "nobody=alloy",
      STT_URL: "ftp://secret.example",
      LLM_MODEL: "brain",
      TTS_VOICES: "clara",
    });
    const about = (name: string) => problems.filter((problem) => problem.includes(name)).length;
    for (const name of [
      "telepathy",
      "REALTIME_URL",
      "REALTIME_MODEL",
      "REALTIME_VOICES",
      "STT_URL",
      "STT_MODEL",
    ])
      expect([name, about(name)]).toEqual([name, 1]);
    for (const name of ["LLM_URL", "TTS_URL", "TTS_MODEL", "TTS_VOICES"])
      expect([name, about(name)]).toEqual([name, 1]);
    expect(about("REALTIME_API_KEY")).toBe(2);
    expect(problems.join()).not.toContain("secret");
  });

  const twilio = { TWILIO_ACCOUNT_SID: `AC${"0123456789abcdef".repeat(2)}`, TWILIO_AUTH_TOKEN: "token" };
  const telnyx = {
    TELNYX_API_KEY: "key",
    TELNYX_CONNECTION_ID: "1494404757140276705",
    TELNYX_PUBLIC_KEY: Buffer.alloc(32, 7).toString("base64"),
  };

  it("name vendors with what they need, and where they reach this process", () => {
    expect(readConfig({})).toMatchObject({
      twilio: null,
      telnyx: null,
      voiceUrl: "http://localhost:8080",
      carrierFallbacks: [],
    });
    // Both take texts alone.
    const { TWILIO_AUTH_TOKEN, TELNYX_PUBLIC_KEY } = { ...twilio, ...telnyx };
    expect(readConfig({ TWILIO_AUTH_TOKEN, TELNYX_PUBLIC_KEY })).toMatchObject({
      twilio: null,
      telnyx: null,
    });
    const config = readConfig({
      ...twilio,
      ...telnyx,
      PUBLIC_URL: "https://api.example.com/",
      TELNYX_API_URL: "https://api.telnyx.eu/",
      CARRIER_FALLBACKS: "telnyx, sip,telnyx",
    });
    expect(config).toMatchObject({
      twilio: {
        accountSid: twilio.TWILIO_ACCOUNT_SID,
        authToken: "token",
        apiUrl: "https://api.twilio.com",
      },
      telnyx: { apiKey: "key", connectionId: "1494404757140276705", apiUrl: "https://api.telnyx.eu" },
      voiceUrl: "https://api.example.com",
      carrierFallbacks: ["telnyx", "sip"],
    });
    const own = {
      ...twilio,
      PUBLIC_URL: "https://api.example.com",
      VOICE_URL: "https://voice-2.example.com",
    };
    expect(readConfig(own).voiceUrl).toBe("https://voice-2.example.com");
    const standIn = { ...twilio, TWILIO_API_URL: "http://127.0.0.1:9000" };
    expect(readConfig(standIn).twilio?.apiUrl).toBe("http://127.0.0.1:9000");
  });

  it.each([
    [{ TWILIO_ACCOUNT_SID: twilio.TWILIO_ACCOUNT_SID, VOICE_URL: "https://a.example" }, "TWILIO_AUTH_TOKEN"],
    [{ ...twilio, TWILIO_ACCOUNT_SID: "secret", VOICE_URL: "https://a.example" }, "TWILIO_ACCOUNT_SID"],
    [{ TWILIO_API_URL: "http://a.example", TWILIO_AUTH_TOKEN: "token" }, "TWILIO_ACCOUNT_SID"],
    [
      { ...twilio, TWILIO_API_URL: "https://secret@a.example", VOICE_URL: "https://a.example" },
      "TWILIO_API_URL",
    ],
    [{ ...telnyx, TELNYX_API_KEY: "", VOICE_URL: "https://a.example" }, "TELNYX_API_KEY"],
    [{ ...telnyx, TELNYX_API_KEY: "two secrets", VOICE_URL: "https://a.example" }, "TELNYX_API_KEY"],
    [{ ...telnyx, TELNYX_CONNECTION_ID: "", VOICE_URL: "https://a.example" }, "TELNYX_CONNECTION_ID"],
    [{ ...telnyx, TELNYX_PUBLIC_KEY: "", VOICE_URL: "https://a.example" }, "TELNYX_PUBLIC_KEY"],
    [twilio, "VOICE_URL"],
    [telnyx, "VOICE_URL"],
    [{ VOICE_URL: "wss://secret.example" }, "VOICE_URL"],
    [{ VOICE_URL: "https://a.example/?secret" }, "VOICE_URL"],
    [{ CARRIER_FALLBACKS: "sip,pigeons" }, "pigeons"],
    [{ CARRIER_FALLBACKS: "simulated" }, "simulated"],
    [{ CARRIER_FALLBACKS: "sip,telnyx" }, "telnyx"],
  ])("refuse vendors that are set up by halves: %j", (environment, name) => {
    const problems = problemsOf(environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
    expect(problems[0]).not.toContain("secret");
  });
});

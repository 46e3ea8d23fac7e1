import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

const S3 = {
  RECORDINGS_S3_ENDPOINT: "https://s3.example.com/",
  RECORDINGS_S3_BUCKET: "recordings",
  RECORDINGS_S3_ACCESS_KEY_ID: "AKIDEXAMPLE",
  RECORDINGS_S3_SECRET_ACCESS_KEY: "very-secret",
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("where recordings go", () => {
  it("is DATA_DIR unless a bucket is named", () => {
    expect(readConfig({}).recordingsS3).toBeNull();
    expect(readConfig({ RECORDINGS_S3_BUCKET: " " }).recordingsS3).toBeNull();
  });

  it("is a bucket when all of it is named", () => {
    expect(readConfig(S3).recordingsS3).toEqual({
      endpoint: "https://s3.example.com",
      bucket: "recordings",
      region: "us-east-1",
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "very-secret",
      prefix: "",
    });
    expect(
      readConfig({ ...S3, RECORDINGS_S3_REGION: "eu-central-1", RECORDINGS_S3_PREFIX: "calls/eu" })
        .recordingsS3,
    ).toMatchObject({ region: "eu-central-1", prefix: "calls/eu/" });
  });

  it("names everything that is missing, whichever part is there", () => {
    for (const [name, value] of Object.entries({
      ...S3,
      RECORDINGS_S3_REGION: "auto",
      RECORDINGS_S3_PREFIX: "x",
    })) {
      const problems = problemsOf({ [name]: value });
      const missing = Object.keys(S3).filter((needed) => needed !== name);
      expect(problems.map((problem) => problem.split(" ")[0])).toEqual(missing);
    }
  });

  it("tells all mistakes at once, and repeats no secret", () => {
    const problems = problemsOf({
      ...S3,
      RECORDINGS_S3_ENDPOINT: "https://user:very-secret@s3.example.com/?x=1",
      RECORDINGS_S3_BUCKET: "My_Bucket",
      RECORDINGS_S3_PREFIX: "../else where",
    });
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "RECORDINGS_S3_ENDPOINT",
      "RECORDINGS_S3_BUCKET",
      "RECORDINGS_S3_PREFIX",
    ]);
    expect(problems.join()).not.toContain("secret");
    expect(problemsOf({ ...S3, RECORDINGS_S3_ENDPOINT: "s3.example.com" })).toHaveLength(1);
  });
});

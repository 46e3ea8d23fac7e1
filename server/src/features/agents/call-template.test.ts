import fc from "fast-check";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { createValidatorCompiler } from "../../http/validation.ts";
import { TOOL_NAMES } from "../../voice/engines/engine.ts";
import { voiceCatalog } from "../../voice/speech/catalog.ts";
import { leadFormats } from "../leads/index.ts";
import { AgentCreate } from "./agents.schema.ts";
import { Metadata, TemplateContext } from "./call-input.schema.ts";
import { type CallTemplateInput, callTemplateFields } from "./call-template.schema.ts";
import { mergeCallTemplate, resolveCallTemplate } from "./call-template.ts";

const compile = createValidatorCompiler(leadFormats);
const bodyOf = (schema: object) =>
  compile({ schema: schema as never, httpPart: "body", method: "POST", url: "/" }) as (
    value: unknown,
  ) => unknown;

const flat = bodyOf(
  Type.Object(
    {
      ...callTemplateFields,
      template_context: Type.Optional(TemplateContext),
      metadata: Type.Optional(Metadata),
    },
    { additionalProperties: false },
  ),
);
const nested = bodyOf(AgentCreate);

/** The code that a value is refused with; null when it is taken. */
function codeOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const WIDE = "𝄞";
const tooMany = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));

describe("the fields of a call template", () => {
  const cases: [field: string, value: unknown, code: string | null][] = [
    ["system_prompt", "", "system_prompt_required"],
    ["system_prompt", " \n", "system_prompt_required"],
    ["system_prompt", 7, "system_prompt_must_be_string"],
    ["system_prompt", null, "system_prompt_must_be_string"],
    ["system_prompt", "x", null],
    ["system_prompt", WIDE.repeat(32_000), null],
    ["system_prompt", WIDE.repeat(32_001), "system_prompt_too_long"],
    ["voice", "nobody", "unknown_voice"],
    ["voice", 1, "unknown_voice"],
    ["voice", null, "unknown_voice"],
    ...voiceCatalog.map(({ id }): [string, unknown, null] => ["voice", id, null]),
    ["temperature", 0, null],
    ["temperature", 2, null],
    ["temperature", -0.01, "temperature_out_of_range"],
    ["temperature", 2.01, "temperature_out_of_range"],
    ["temperature", "1", "temperature_out_of_range"],
    ["temperature", null, "temperature_out_of_range"],
    ["temperature", Number.POSITIVE_INFINITY, "temperature_out_of_range"],
    ["first_speaker", "agent", null],
    ["first_speaker", "user", null],
    ["first_speaker", "Agent", "invalid_first_speaker"],
    ["first_speaker", 1, "invalid_first_speaker"],
    ["recording_enabled", true, null],
    ["recording_enabled", "true", "recording_enabled_must_be_boolean"],
    ["recording_enabled", null, "recording_enabled_must_be_boolean"],
    ["greeting", "", null],
    ["greeting", WIDE.repeat(1_000), null],
    ["greeting", WIDE.repeat(1_001), "greeting_too_long"],
    ["greeting", null, "greeting_must_be_string"],
    ["greeting", ["x"], "greeting_must_be_string"],
    ["max_duration_seconds", 60, null],
    ["max_duration_seconds", 7_200, null],
    ["max_duration_seconds", 59, "max_duration_out_of_range"],
    ["max_duration_seconds", 7_201, "max_duration_out_of_range"],
    ["max_duration_seconds", 60.5, "max_duration_out_of_range"],
    ["max_duration_seconds", "60", "max_duration_out_of_range"],
    ["max_duration_seconds", null, "max_duration_out_of_range"],
    ["voicemail_message", WIDE.repeat(1_000), null],
    ["voicemail_message", WIDE.repeat(1_001), "invalid_request"],
    ["voicemail_message", null, "invalid_request"],
    ["abandoned_message", WIDE.repeat(500), null],
    ["abandoned_message", WIDE.repeat(501), "invalid_request"],
    ["recording_announcement", false, null],
    ["recording_announcement", "no", "invalid_request"],
    ["tools", [], null],
    ["tools", ["book_appointment", "book_appointment"], null],
    ["tools", ["send_money"], "invalid_request"],
    ["tools", "end_call", "invalid_request"],
    ["transfer_number", null, null],
    ["transfer_number", "(415) 555-0100", null],
    ["transfer_number", "12", "invalid_request"],
    ["transfer_number", 4155550100, "invalid_request"],
  ];

  it.each(cases)("%s %j: %s", (field, value, code) => {
    const template = { system_prompt: "Hi", [field]: value };
    expect(codeOf(() => flat(template))).toBe(code);
    expect(codeOf(() => nested({ name: "A", call_template: template }))).toBe(code);
  });

  it("are looked at only once every key is known", () => {
    expect(codeOf(() => nested({ name: "A", call_template: { mood: 1 } }))).toBe(
      "unknown_template_field:mood",
    );
    expect(codeOf(() => nested({ name: 3, call_template: { voice: 3, mood: 1 } }))).toBe(
      "unknown_template_field:mood",
    );
    expect(codeOf(() => nested({ name: "A", call_template: { mood: 1 }, colour: 1 }))).toBe(
      "unknown_field:colour",
    );
    expect(codeOf(() => flat({ mood: 1 }))).toBe("unknown_field:mood");
    const inherited = JSON.parse('{"__proto__": 1, "system_prompt": "Hi"}') as object;
    expect(codeOf(() => nested({ name: "A", call_template: inherited }))).toBe(
      "unknown_template_field:__proto__",
    );
  });

  it("need a template that is an object, with a system prompt, and a name", () => {
    for (const value of [null, "x", 1, [], true]) {
      expect(codeOf(() => nested({ name: "A", call_template: value }))).toBe("call_template_must_be_object");
    }
    expect(codeOf(() => nested({ name: "A" }))).toBe("call_template_must_be_object");
    expect(codeOf(() => nested({ name: "A", call_template: {} }))).toBe("system_prompt_required");
    expect(codeOf(() => flat({}))).toBe("system_prompt_required");
    const call_template = { system_prompt: "Hi" };
    for (const name of [undefined, null, "", "  ", 5]) {
      expect(codeOf(() => nested({ ...(name === undefined ? {} : { name }), call_template }))).toBe(
        "name_required",
      );
    }
    expect(codeOf(() => nested({ name: WIDE.repeat(120), call_template }))).toBeNull();
    expect(codeOf(() => nested({ name: WIDE.repeat(121), call_template }))).toBe("name_too_long");
  });
});

describe.each([
  ["template_context", 1_000],
  ["metadata", 500],
])("%s", (field, longest) => {
  const cases: [value: unknown, code: string | null][] = [
    [{}, null],
    [{ text: "a", number: 1.5, yes: true, nothing: null, "any key\n": "" }, null],
    [tooMany(50), null],
    [tooMany(51), `${field}_too_many_keys`],
    [{ long: WIDE.repeat(longest) }, null],
    [{ long: WIDE.repeat(longest + 1) }, `${field}_value_too_long`],
    [{ list: [] }, `${field}_values_must_be_scalar`],
    [{ object: {} }, `${field}_values_must_be_scalar`],
    [{ huge: Number.POSITIVE_INFINITY }, `${field}_values_must_be_scalar`],
    [null, `${field}_must_be_object`],
    ["x", `${field}_must_be_object`],
    [["x"], `${field}_must_be_object`],
  ];
  it.each(cases)("%j: %s", (value, code) => {
    expect(codeOf(() => flat({ system_prompt: "Hi", [field]: value }))).toBe(code);
  });
});

describe("a resolved template", () => {
  it("has every default filled in, and nothing of a larger body", () => {
    const body = { system_prompt: "Hi {{first_name}}", medium: "phone", metadata: {} } as CallTemplateInput;
    expect(resolveCallTemplate(body)).toEqual({
      system_prompt: "Hi {{first_name}}",
      voice: "clara",
      temperature: 0.7,
      first_speaker: "agent",
      recording_enabled: false,
      greeting: "",
      max_duration_seconds: 1_800,
      voicemail_message: "",
      recording_announcement: true,
      tools: [...TOOL_NAMES],
      transfer_number: null,
    });
  });

  it("has a message to abandoned persons only where one was sent, until it is emptied", () => {
    const sent = resolveCallTemplate({ system_prompt: "Hi", abandoned_message: "Sorry." });
    expect(sent.abandoned_message).toBe("Sorry.");
    expect(mergeCallTemplate(sent, { greeting: "Hello" }).abandoned_message).toBe("Sorry.");
    expect(mergeCallTemplate(sent, { abandoned_message: "" })).not.toHaveProperty("abandoned_message");
  });

  it("can always end the call and take an opt-out, and keeps the number as E.164", () => {
    const sent: CallTemplateInput = { system_prompt: "Hi", tools: [], transfer_number: "(415) 555-0100" };
    expect(resolveCallTemplate(sent)).toMatchObject({
      tools: ["end_call", "record_opt_out"],
      transfer_number: "+14155550100",
    });
  });

  it("is merged key by key: what isn't sent stays, also where what is sent is false, zero, empty or null", () => {
    const whole = fc.record({
      system_prompt: fc.constantFrom("a", "b"),
      temperature: fc.constantFrom(0, 1),
      recording_enabled: fc.boolean(),
      recording_announcement: fc.boolean(),
      greeting: fc.constantFrom("", "hello"),
      transfer_number: fc.constantFrom(null, "+14155550100"),
    });
    const part = fc.record(
      {
        temperature: fc.constantFrom(0, 2),
        recording_enabled: fc.boolean(),
        recording_announcement: fc.boolean(),
        greeting: fc.constantFrom("", "bye"),
        transfer_number: fc.constantFrom(null, "+14155550101"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(whole, part, (first, second) => {
        const stored = resolveCallTemplate(first);
        expect(mergeCallTemplate(stored, second)).toEqual({ ...stored, ...second });
      }),
    );
  });
});

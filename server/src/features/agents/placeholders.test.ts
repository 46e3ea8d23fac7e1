import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillPlaceholders, placeholderValues } from "./placeholders.ts";

describe("placeholders", () => {
  it.each([
    ["Hi {{first_name}}!", { first_name: "Ada" }, "Hi Ada!"],
    ["Hi {{ first_name }}, {{first_name}}", { first_name: "Ada" }, "Hi Ada, Ada"],
    ["Hi {{missing}}!", {}, "Hi !"],
    ["{{a}}{{b}}{{c}}{{d}}", { a: 1.5, b: true, c: null, d: "" }, "1.5true"],
    ["{{a.b_2}}", { "a.b_2": "deep" }, "deep"],
    ["{{_}}", { _: "x" }, "x"],
    ["{{toString}}{{__proto__}}{{constructor}}", {}, ""],
    ["{{a}}", { a: "{{b}} $& $1", b: "no" }, "{{b}} $& $1"],
    ["{{{a}}}", { a: "x" }, "{x}"],
    ["{{2a}} {{a b}} {{}} {{a-b}} {a} {{a}", { a: "x", b: "y" }, "{{2a}} {{a b}} {{}} {{a-b}} {a} {{a}"],
  ])("%s %j", (text, values, filled) => {
    expect(fillPlaceholders(text, values as Record<string, string>)).toBe(filled);
  });

  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,8}$/);
  const spaces = fc.constantFrom("", " ", "  ", "\t");
  const plain = fc.string().map((text) => text.replaceAll(/[{}]/g, ""));

  it("put each value in the place of its name and leave all other text as it is, whatever the values hold", () => {
    const part = fc.record({ before: plain, name, left: spaces, right: spaces });
    fc.assert(
      fc.property(fc.array(part), plain, fc.dictionary(name, fc.string()), (parts, end, values) => {
        const text = parts.map((one) => `${one.before}{{${one.left}${one.name}${one.right}}}`).join("") + end;
        const expected =
          parts
            .map((one) => one.before + (Object.hasOwn(values, one.name) ? values[one.name] : ""))
            .join("") + end;
        expect(fillPlaceholders(text, values)).toBe(expected);
      }),
    );
  });

  it("take time in proportion to the text", () => {
    for (const text of [`{{${" ".repeat(32_000)}`, "{{ ".repeat(10_000), `{{${"a".repeat(32_000)}`]) {
      expect(fillPlaceholders(text, {})).toBe(text);
    }
  });

  it("are the lead's values, and over them what was sent", () => {
    const lead = {
      first_name: "Ada",
      last_name: null,
      full_name: "Ada",
      phone_number: "+14155550100",
      email_address: null,
      id: "not for prompts",
    };
    expect(placeholderValues(lead, { first_name: "Countess", last_name: null, score: 7 })).toEqual({
      first_name: "Countess",
      last_name: "",
      full_name: "Ada",
      phone_number: "+14155550100",
      email_address: "",
      score: "7",
    });
    expect(placeholderValues(null, {})).toEqual({});
  });
});

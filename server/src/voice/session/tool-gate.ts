import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { ToolDefinition, ToolName } from "../engines/engine.ts";

/** What a tool call comes to before anything runs. */
export type AdmittedToolCall =
  | { admitted: true; name: ToolName; arguments: unknown }
  | { admitted: false; error: string };

/** Lets through calls of granted tools whose arguments fit, and nothing else. */
export type ToolGate = (name: string, args: unknown) => AdmittedToolCall;

/** Compiles each schema once for all calls of the process. */
export type ToolGates = (granted: readonly ToolDefinition[]) => ToolGate;

export function createToolGates(): ToolGates {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: ToolDefinition["parameters"]) => {
    const key = JSON.stringify(schema);
    let validate = compiled.get(key);
    if (!validate) {
      validate = ajv.compile(schema);
      compiled.set(key, validate);
    }
    return validate;
  };

  return (granted) => {
    // A map and no object: a name like `constructor` finds nothing.
    const tools = new Map<string, ToolDefinition>(granted.map((tool) => [tool.name, tool]));
    return (name, args) => {
      const tool = tools.get(name);
      if (!tool) return { admitted: false, error: "There is no such tool in this call." };
      const validate = validatorOf(tool.parameters);
      if (!validate(args)) {
        return {
          admitted: false,
          error: `Wrong arguments: ${ajv.errorsText(validate.errors, { dataVar: "arguments" })}`,
        };
      }
      return { admitted: true, name: tool.name, arguments: args };
    };
  };
}

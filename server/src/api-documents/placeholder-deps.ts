import type { AppDeps } from "../app-deps.ts";
import { readConfig } from "../config.ts";

/** What the routes of both APIs are made with here: a real configuration of defaults, and placeholders for the rest. */
export function placeholderDeps(): AppDeps {
  return placeholder<AppDeps>("deps", { config: readConfig({}) });
}

/**
 * Stands in for what routes are made with when they are only described and never run: whatever of it is used fails, and says
 * so. What routes need while they are being made is given as `known`.
 */
export function placeholder<T extends object>(name: string, known: Partial<T> = {}): T {
  const refuse = () => {
    throw new Error(`${name} was used while routes were being made. Use it in a handler instead.`);
  };
  return new Proxy(refuse, {
    get: (_target, member) => {
      if (typeof member === "symbol") return undefined;
      return Object.hasOwn(known, member) ? known[member as keyof T] : placeholder(`${name}.${member}`);
    },
    apply: refuse,
    construct: refuse,
  }) as unknown as T;
}

import { DomainError } from "../domain-error.ts";

export const SCOPES = [
  "account:read",
  "leads:read",
  "leads:write",
  "contacts:read",
  "contacts:write",
  "deals:read",
  "deals:write",
  "campaigns:read",
  "campaigns:write",
  "agents:read",
  "agents:write",
  "calls:read",
  "calls:write",
  "voices:read",
  "appointments:read",
  "appointments:write",
  "webhooks:manage",
] as const;

export type Scope = (typeof SCOPES)[number];

/** @throws DomainError `unknown_scope:<name>` for the first that doesn't exist; duplicates are dropped */
export function readScopes(names: readonly string[]): Scope[] {
  const scopes = new Set<Scope>();
  for (const name of names) {
    const scope = SCOPES.find((known) => known === name);
    if (!scope) throw new DomainError(`unknown_scope:${name}`, `Known scopes: ${SCOPES.join(", ")}.`);
    scopes.add(scope);
  }
  return [...scopes];
}

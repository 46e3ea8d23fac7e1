import { DomainError } from "../../domain-error.ts";
import { eventCatalog } from "../../events/catalog.ts";

/** Stands for every type, those of the future included. */
const ALL_EVENTS = "*";

const known = new Set<string>([ALL_EVENTS, ...eventCatalog.map(({ type }) => type)]);
const LONGEST_NAME = 200;

/**
 * The event types of a subscription as they are stored: in the order given, duplicates dropped. The two reserved types
 * may be named.
 * @throws DomainError unknown_event_type:<type> for the first that isn't in the catalog
 */
export function readEventTypes(given: readonly string[]): string[] {
  const types = [...new Set(given)];
  const unknown = types.find((type) => !known.has(type));
  if (unknown === undefined) return types;
  const name = unknown.length > LONGEST_NAME ? `${unknown.slice(0, LONGEST_NAME)}…` : unknown;
  throw new DomainError(
    `unknown_event_type:${name.toWellFormed()}`,
    "GET /event-catalog lists the event types; `*` stands for all.",
  );
}

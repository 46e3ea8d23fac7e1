import { type Command, InvalidArgumentError } from "commander";
import type { Answer, ApiClient } from "./api-client.ts";
import type { Environment } from "./connection.ts";
import { printPage, printRecord } from "./print.ts";

/** What the commands work with. */
export interface Context {
  environment: Environment;
  /** Of the private API. */
  api: ApiClient;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Loads the service's own code, for the commands that run it in this process. */
  loadServer(): Promise<Server>;
  /** Sets an exit status other than 0 for a command that ended without a refusal. */
  exitWith(status: number): void;
}

/** What this program runs of the service. */
export interface Server {
  serve(environment: Environment): Promise<number>;
  migrateDatabase(environment: Environment): Promise<{ version: number; applied: number[] }>;
  simulateDialing(
    environment: Environment,
    given: SimulationFlags,
    onDay: (day: SimulatedDay) => void,
  ): Promise<SimulationRecord>;
}

export interface SimulationFlags {
  leads: number;
  days: number;
  mode: "ai" | "power" | "predictive";
  seed?: number;
  seats?: number;
  dialers?: number;
  start?: string;
}

export interface SimulatedDay {
  date: string;
  attempts: number;
  answers: number;
  abandoned: number;
  violations: number;
  tokens: number;
  seconds: number;
}

export interface SimulationRecord extends Required<SimulationFlags> {
  by_day: readonly SimulatedDay[];
  total: SimulatedDay;
  violations: readonly { breach: string; at: number; number: string | null; detail: string }[];
  standings: readonly { state: string; status: string; leads: number }[];
  completed: boolean;
  spent: Readonly<Record<string, number>>;
}

/** A verb below its noun, with the flags that every verb has. */
export function verb(noun: Command, name: string, description: string): Command {
  return noun.command(name).description(description).option("--json", "print the record as one JSON object");
}

/** A verb that concerns one organization. */
export function organizationVerb(noun: Command, name: string, description: string): Command {
  return verb(noun, name, description).requiredOption("--org <id>", "the organization");
}

/** The flags of a list. */
export function paged(command: Command): Command {
  return command
    .option("--limit <n>", "how many at most (50)", whole)
    .option("--offset <n>", "how many to pass over", whole);
}

export function pageQuery(options: { limit?: number; offset?: number }) {
  return { limit: options.limit, offset: options.offset };
}

/** Prints what came back as the flags ask. */
export function show(context: Context, options: { json?: boolean }, record: Answer): void {
  printRecord(context.out, record, options.json === true);
}

export function showPage(
  context: Context,
  options: { json?: boolean },
  page: Answer,
  columns: readonly string[],
): void {
  printPage(context.out, page, columns, options.json === true);
}

/** The path of an organization, or of something of it. Every part is escaped. */
export function organizationPath(organizationId: string, ...parts: string[]): string {
  return ["/organizations", ...[organizationId, ...parts].map(encodeURIComponent)].join("/");
}

/** Only the members that were given: a flag that isn't there must not reach the service as null. */
export function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A whole number, negative too. */
export function whole(text: string): number {
  const number = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) throw new InvalidArgumentError("It must be a whole number.");
  return number;
}

export function onOff(text: string): boolean {
  if (text === "on") return true;
  if (text === "off") return false;
  throw new InvalidArgumentError("It must be on or off.");
}

/** `a,b` as a list. */
export function commaSeparated(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

const ISO = /^\d{4}-\d\d-\d\d(?:(?<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/** An ISO 8601 date (midnight UTC) or date-time (UTC unless it says otherwise), as the service takes it. */
export function instant(text: string): string {
  const match = ISO.exec(text);
  const { time, zone } = match?.groups ?? {};
  const at = match ? Date.parse(time !== undefined && zone === undefined ? `${text}Z` : text) : Number.NaN;
  if (Number.isNaN(at) || !isCalendarDay(text.slice(0, 10))) {
    throw new InvalidArgumentError("It must be an ISO 8601 date or date-time, such as 2027-01-31T12:00:00Z.");
  }
  return new Date(at).toISOString();
}

/** Whether `YYYY-MM-DD` is a day that the calendar has: JavaScript reads February 30 as March 2. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** What a flag holds that takes `none`, which isn't the same as no flag. In an object: commander knows no null. */
export interface OrNone<T> {
  value: T | null;
}

/** `none` takes a value back. */
export function orNone<T>(parse: (text: string) => T): (text: string) => OrNone<T> {
  return (text) => ({ value: text === "none" ? null : parse(text) });
}

/** `a=b,c=d` as an object. */
export function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    commaSeparated(text).map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new InvalidArgumentError("It must be name=value, with commas between several.");
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

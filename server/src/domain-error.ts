/**
 * What a verb throws when it refuses. `code` is the contract's error code, with its suffix where it has one
 * (`unknown_field:<name>`); `http/errors.ts` alone knows which status each code has.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: string;
  /** Extra members of the error envelope, such as `required` on `insufficient_scope`. */
  readonly details: Readonly<Record<string, unknown>>;

  /** @param message what was wrong and what would be right, for the person who reads the answer */
  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

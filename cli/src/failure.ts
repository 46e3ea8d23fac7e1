/** The service, or this program in its place, refuses: exit status 1, with the error envelope on stderr. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly envelope: Readonly<Record<string, unknown>>;

  constructor(envelope: { error: string; message?: string; [detail: string]: unknown }) {
    super(envelope.message ?? envelope.error);
    this.envelope = envelope;
  }
}

/** The command line itself is wrong: exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

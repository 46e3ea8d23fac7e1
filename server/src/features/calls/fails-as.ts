import { DomainError } from "../../domain-error.ts";

/**
 * Names what failed when the service itself does: whatever is thrown but a refusal becomes an error of this code, with the
 * cause for the log.
 */
export async function failsAs<Result>(
  code: "call_creation_failed" | "call_record_failed" | "lead_lookup_failed" | "org_lookup_failed",
  message: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const error = new DomainError(code, message);
    error.cause = cause;
    throw error;
  }
}

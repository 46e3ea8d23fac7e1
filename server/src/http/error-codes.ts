/**
 * Every error code of the contract that this release can answer, with its HTTP status and what it means to the reader
 * of an answer. `errors.ts` turns domain errors into answers by it, and the OpenAPI documents are written from it.
 */
export const errorCodes = {
  invalid_request: [400, "A value is missing, has the wrong type or breaks its bounds."],
  invalid_json: [
    400,
    "The body isn't JSON, has another content type, or is empty where a field is required.",
  ],
  unknown_field: [
    400,
    "The body has a key that isn't accepted here. The code carries the key's name after a colon.",
  ],
  nothing_to_update: [400, "The body names no field to change."],
  invalid_idempotency_key: [400, "`Idempotency-Key` must be 1 to 255 printable ASCII characters."],
  invalid_phone_number: [400, "The phone number isn't 10 to 15 digits, or has an extension or letters."],
  phone_number_immutable: [400, "The phone number identifies the lead and cannot change."],
  csv_required: [400, "`csv` must be the text of a CSV file."],
  invalid_csv: [400, "The CSV has no header row, an unclosed quote, or two equal header names."],
  event_types_required: [400, "`event_types` must be a non-empty array of event type names or `*`."],
  unknown_event_type: [400, "An event type isn't in the catalog. The code carries its name after a colon."],
  unknown_scope: [400, "A scope doesn't exist. The code carries its name after a colon."],
  malformed_url: [400, "`target_url` is missing or isn't a URL."],
  invalid_protocol: [400, "`target_url` must be an https URL."],
  https_required_in_production: [400, "`target_url` must use https."],
  userinfo_not_allowed: [400, "`target_url` must not hold a username or password."],
  missing_host: [400, "`target_url` names no host."],
  private_hostname: [400, "`target_url` names a host of a private network."],
  private_ipv4: [400, "`target_url` names an IPv4 address that isn't public."],
  private_ipv6: [400, "`target_url` names an IPv6 address that isn't public."],
  dns_lookup_failed: [400, "The host of `target_url` could not be looked up."],
  dns_no_records: [400, "The host of `target_url` has no address."],
  private_resolved_ipv4: [400, "The host of `target_url` resolves to an IPv4 address that isn't public."],
  private_resolved_ipv6: [400, "The host of `target_url` resolves to an IPv6 address that isn't public."],
  missing_api_key: [401, "The request carries no API key."],
  invalid_api_key: [401, "The API key is unknown."],
  revoked_api_key: [401, "The API key has been revoked."],
  expired_api_key: [401, "The API key has expired."],
  unauthenticated: [401, "The token is missing or wrong."],
  insufficient_balance: [402, "The organization's token balance is exhausted."],
  insufficient_scope: [403, "The API key lacks the scope named in `required`."],
  organization_not_active: [403, "The organization is suspended: it can read, but not write."],
  not_found: [404, "There is no such resource in the organization, or no such path."],
  campaign_not_found: [404, "`campaign_id` isn't a campaign of the organization."],
  organization_not_found: [404, "There is no such organization."],
  conflict: [409, "The change would break a rule of uniqueness, or the state doesn't allow it."],
  campaign_not_resumable: [409, "Only a paused campaign can be started."],
  campaign_not_active: [409, "Only an active campaign can be stopped."],
  idempotency_in_progress: [409, "The first request with this `Idempotency-Key` is still running."],
  payload_too_large: [413, "The body or the CSV is larger than allowed."],
  idempotency_key_reused: [422, "This `Idempotency-Key` was used with another body."],
  rate_limited: [429, "The rate limit is exhausted. `retry_after_seconds` says how long to wait."],
  internal_error: [500, "The service failed. Its log has the detail under `request_id`."],
  auth_lookup_failed: [500, "The API key could not be looked up."],
  import_failed: [500, "The import broke off. Rows already processed are in place."],
  export_failed: [500, "The export could not be made."],
  spec_unavailable: [500, "The OpenAPI document could not be read."],
  guide_unavailable: [500, "The guide could not be read."],
  feature_unavailable: [501, "This part of the API isn't available yet."],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof errorCodes;

/** The HTTP status of a code, which may carry a suffix after a colon. Undefined for a code the contract doesn't have. */
export function statusOf(code: string): number | undefined {
  const base = code.split(":", 1)[0]!;
  return Object.hasOwn(errorCodes, base) ? errorCodes[base as ErrorCode][0] : undefined;
}

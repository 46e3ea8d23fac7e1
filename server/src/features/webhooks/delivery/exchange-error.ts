import { errors } from "undici";

/**
 * Why an attempt failed, as the delivery log says it. The codes of the target check (`dns_lookup_failed`,
 * `private_resolved_ipv4`, …) appear in the same place.
 */
export type ExchangeError =
  /** The 10 s for everything together were over before a status had come. */
  | "timeout"
  | "connection_refused"
  | "connection_reset"
  /** The receiver closed the connection instead of answering. */
  | "connection_closed"
  | "host_unreachable"
  | "connection_failed"
  | "tls_certificate_expired"
  | "tls_certificate_not_yet_valid"
  | "tls_self_signed"
  | "tls_untrusted"
  | "tls_wrong_host"
  | "tls_handshake_failed"
  /** What came was not HTTP/1.1, or never got to its final status. */
  | "invalid_response"
  | "response_headers_too_large"
  /** A 3xx with a Location, which is never followed. */
  | "redirect"
  /** Any other status that isn't 2xx: the status says it. */
  | "http_status"
  /** Not the receiver's doing: the caller's signal, or the client was closed. No attempt should be recorded. */
  | "aborted";

const BY_CODE: Readonly<Record<string, ExchangeError>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  UND_ERR_SOCKET: "connection_closed",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "host_unreachable",
  EHOSTDOWN: "host_unreachable",
  ENETUNREACH: "host_unreachable",
  ENETDOWN: "host_unreachable",
  EADDRNOTAVAIL: "host_unreachable",
  CERT_HAS_EXPIRED: "tls_certificate_expired",
  CERT_NOT_YET_VALID: "tls_certificate_not_yet_valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_self_signed",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_self_signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_wrong_host",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_untrusted",
  CERT_UNTRUSTED: "tls_untrusted",
  CERT_REVOKED: "tls_untrusted",
  CERT_SIGNATURE_FAILURE: "tls_untrusted",
  CERT_CHAIN_TOO_LONG: "tls_untrusted",
  INVALID_CA: "tls_untrusted",
  INVALID_PURPOSE: "tls_untrusted",
  EPROTO: "tls_handshake_failed",
  // The client was closed under it.
  UND_ERR_DESTROYED: "aborted",
  UND_ERR_HEADERS_OVERFLOW: "response_headers_too_large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "invalid_response",
};

/** The reason for an error of the connection or of the response's parser, by its code. */
export function exchangeErrorOf(error: unknown): ExchangeError {
  // Its code is the parser's own, and missing for some errors.
  if (error instanceof errors.HTTPParserError) return "invalid_response";
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return "connection_failed";
  const known = BY_CODE[code];
  if (known) return known;
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls_handshake_failed";
  return "connection_failed";
}

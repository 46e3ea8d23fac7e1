import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Whether a request carries the signature that AWS describes ("Signature Version 4"), computed from what came over the
 * wire and not by the library that signs. The fake store takes any.
 */
export function isSigned(request: IncomingMessage, secretAccessKey: string): boolean {
  const [, scope, names, signature] =
    /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  if (!scope || !names || !signature) return false;
  const [path = "", query = ""] = request.url!.split("?");
  const pairs = query === "" ? [] : query.split("&").map((pair) => (pair.includes("=") ? pair : `${pair}=`));
  const canonical = [
    request.method,
    path,
    pairs.sort().join("&"),
    ...names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    request.headers["x-amz-content-sha256"],
  ].join("\n");
  const [date = "", region = "", service = "", end = ""] = scope.split("/");
  const toSign = [
    "AWS4-HMAC-SHA256",
    request.headers["x-amz-date"],
    scope,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const key = [date, region, service, end].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac("sha256", key).update(toSign).digest("hex") === signature;
}

import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether a form was sent by Twilio: `X-Twilio-Signature` is the HMAC-SHA1, by the account's auth token, of the address with
 * every field's name and value behind it, in the order of the names.
 * @param url as it is written in Twilio's console, with the query; Twilio may or may not name the usual port in it
 */
export function isSignedByTwilio(request: {
  authToken: string;
  url: string;
  form: URLSearchParams;
  signature: string;
}): boolean {
  const { authToken, form, signature } = request;
  const fields = [...new Set(form.keys())].sort().flatMap((name) =>
    // One that is sent several times is signed once for each of its values.
    [...new Set(form.getAll(name))].sort().map((value) => name + value),
  );
  const sent = Buffer.from(signature, "base64");
  return spellings(request.url).some((url) => {
    const expected = createHmac("sha1", authToken)
      .update(url + fields.join(""), "utf8")
      .digest();
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

/** An address with its usual port named and not. Nothing else of it may change: it is what was signed. */
function spellings(url: string): string[] {
  const [, scheme, authority, rest] = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) return [url];
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(authority)!;
  const usual = scheme === "https" ? "443" : "80";
  if (port !== undefined && port !== usual) return [url];
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}:${usual}${rest}`];
}

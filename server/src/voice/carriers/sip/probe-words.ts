import { type Credentials, chooseChallenge } from "./digest.ts";
import { cseqOf, headerList, headersNamed, type SipResponse } from "./message.ts";

/** What a trunk's answer to OPTIONS, or to the question who is registered, means for its operator. */
export function meaningOf(answer: SipResponse, credentials: Credentials | null): string {
  const { status } = answer;
  const said = answer.reason === "" ? "" : ` It says: ${answer.reason.slice(0, 100)}.`;
  if (status < 300) {
    // Every attempt counts one further.
    if ((cseqOf(answer)?.number ?? 1) > 1)
      return "The trunk is there, and accepts the user name and the password.";
    if (credentials)
      return "The trunk is there and takes requests from us. It didn't ask for the password this time, so whether that is right shows with the first call.";
    return "The trunk is there and takes requests from us.";
  }
  if (status < 400) {
    const to = headerList(answer, "contact")[0]?.slice(0, 200);
    return `The trunk is there, but sends us elsewhere${to === undefined ? "" : `, to ${to}`}: add it again with that address.`;
  }
  if (status === 401 || status === 407) return aboutPassword(answer, credentials);
  return (MEANINGS[status] ?? meaningOfClass(status)) + (isClear(status) ? "" : said);
}

const OTHERWISE_FINE = "which says nothing against calls";

const MEANINGS: Readonly<Record<number, string>> = {
  400: "The trunk is there, but finds something wrong with our request.",
  403: "The trunk is there, but refuses us: ask its operator to allow this server's address, and the user if there is one.",
  404: `The trunk is there, but knows nothing of the host that we ask for. Many answer this question (OPTIONS) so, ${OTHERWISE_FINE}. Should calls fail too, check the host in the trunk's URI: it has to be the name that its operator gave, not only an address that leads there.`,
  405: `The trunk is there. It doesn't take this question (OPTIONS), ${OTHERWISE_FINE}.`,
  408: "A server is there, but what is behind it doesn't answer: ask its operator whether the trunk is up.",
  480: "The trunk is there, but takes no calls at the moment.",
  481: `The trunk is there. It takes this question (OPTIONS) for part of a call, ${OTHERWISE_FINE}.`,
  482: "A server is there, but our request came back to it: the host in the trunk's URI leads to a proxy that asks itself. Check the host and the port.",
  483: "A server is there, but our request went through too many others without reaching the trunk: the host in its URI leads to proxies that ask each other. Check the host and the port.",
  488: `The trunk is there. It doesn't care for this question (OPTIONS), ${OTHERWISE_FINE}.`,
  500: "The trunk is there, but has a failure of its own.",
  501: `The trunk is there. It doesn't know this question (OPTIONS), ${OTHERWISE_FINE}.`,
  502: "A server is there, but gets no sensible answer from what is behind it: ask its operator.",
  503: "The trunk is there, but takes no calls at the moment: it is overloaded or closed for work, or has no line for this server's address.",
  504: "A server is there, but what is behind it doesn't answer: ask its operator whether the trunk is up.",
  505: "A server is there, but speaks another version of SIP than 2.0.",
};

/** Where its own words would add nothing. */
const isClear = (status: number) => [404, 405, 408, 481, 482, 483, 501, 504].includes(status);

function meaningOfClass(status: number): string {
  if (status >= 600) return "The trunk is there, but refuses us.";
  if (status >= 500) return MEANINGS[500]!;
  return MEANINGS[488]!;
}

function aboutPassword(answer: SipResponse, credentials: Credentials | null): string {
  const asked = headersNamed(answer, answer.status === 401 ? "www-authenticate" : "proxy-authenticate");
  const realm = /realm="([^"]{1,100})"/i.exec(asked[0] ?? "")?.[1];
  const where = realm === undefined ? "" : ` (for ${realm})`;
  if (!credentials)
    return `The trunk is there and asks for a user name and a password${where}: add it again with --username and --password.`;
  if (!chooseChallenge(asked))
    return `The trunk is there, but asks for the password in a way that isn't known here (digest with MD5 and SHA-256 is)${where}: ask its operator.`;
  return `The trunk is there, but doesn't accept the user name or the password${where}: add it again with the right ones.`;
}

/** Codes of Node.js and OpenSSL, and what they mean for who has added the trunk. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it has signed its certificate itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that this machine doesn't know",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is signed by an authority that this machine doesn't know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is signed by an authority that this machine doesn't know",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that this machine doesn't know",
};

/** Why nothing could be sent at all. @param error what the system says */
export function unreachable(error: unknown, where: string, host: string): string {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const words = error instanceof Error ? error.message : String(error);
  const untrusted = CERTIFICATES[code];
  if (untrusted !== undefined)
    return `The trunk is there, but can't be trusted: ${untrusted}. If it is right, start the service with NODE_EXTRA_CA_CERTS set to a file with the authority's certificate.`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The trunk is there, but can't be trusted: its certificate isn't for ${host}. Add it again with the name that the certificate is for.`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "The trunk is there, but can't be trusted: its certificate has run out, or one of the two clocks is wrong.";
  if (/^(EPROTO|ERR_SSL_)/.test(code))
    return `Something is at ${where}, but it doesn't speak TLS as we do: check the port (5061 is usual), or add the trunk with --transport tcp.`;
  switch (code) {
    case "ECONNREFUSED":
      return `Nothing listens at ${where}: check the host, the port and the transport of the trunk.`;
    case "ECONNRESET":
    case "EPIPE":
      return `The server at ${where} closes the connection at once: it may not allow this server's address, or expect another transport.`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EINVAL":
      return `There is no way to ${where} from here.`;
    case "ENOTFOUND":
    case "ENODATA":
      return `The name ${host} isn't known: check the trunk's URI, and this machine's name server.`;
    case "EAI_AGAIN":
      return `The name ${host} can't be looked up: this machine's name server doesn't answer.`;
    default:
      return `No connection to ${where}: ${words}`.replace(/\.?$/, ".");
  }
}

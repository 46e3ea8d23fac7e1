/** Metadata services that have a name outside `.internal`. */
const METADATA_HOSTS = new Set([
  "metadata.goog",
  "metadata.azure.com",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "api.metadata.cloud.ibm.com",
]);

const PRIVATE_SUFFIXES = [".local", ".internal", ".localhost", ".home.arpa"];

/**
 * Whether a host name (lower case, punycode, no trailing dot) stands for something inside a network: `localhost` and
 * every other single label, the private suffixes, and the clouds' metadata services. Looked at before any DNS.
 */
export function isPrivateHostname(host: string): boolean {
  if (!host.includes(".") || host === "home.arpa" || METADATA_HOSTS.has(host)) return true;
  return PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));
}

const LABEL = /^[a-z0-9_-]{1,63}$/;

/** Whether DNS could carry the name (lower case, punycode, no trailing dot): a URL parser lets far more through. */
export function isDnsName(host: string): boolean {
  return host.length <= 253 && host.split(".").every((label) => LABEL.test(label));
}

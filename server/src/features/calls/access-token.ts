import { createHash, randomBytes } from "node:crypto";
import { isUuid } from "../../ids.ts";

const SECRET_BYTES = 32;
const TOKEN = /^call_([0-9a-f]{32})_[0-9a-f]{64}$/;

/** How long a browser has to connect, and how long its token is good. */
export const CONNECT_WITHIN_MS = 60_000;

/** The token of one browser call. It names the organization, so that its call is found among the organization's. */
export function makeAccessToken(organizationId: string): string {
  return `call_${organizationId.replaceAll("-", "")}_${randomBytes(SECRET_BYTES).toString("hex")}`;
}

/** What is stored of a token. It has 256 random bits: a plain hash is enough. */
export function hashAccessToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** @returns null for what is no token at all */
export function organizationOf(token: string): string | null {
  const hex = TOKEN.exec(token)?.[1];
  if (hex === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isUuid(id) ? id : null;
}

import { createHash, timingSafeEqual } from "node:crypto";
import { DomainError } from "../domain-error.ts";
import type { Guard } from "./guard.ts";

/** Whoever holds the operator token. */
export interface Operator {
  /** Named in the audit log: what the client says of itself in `X-Outreach-Actor`, else `operator`. */
  actor: string;
}

const ACTOR = /^[\x21-\x7e][\x20-\x7e]{0,99}$/;

/** The private API's guard: the operator token as Bearer. */
export function createOperatorGuard(token: string): Guard<Operator> {
  // Hashes have equal length, so that the comparison tells nothing of the token's.
  const expected = createHash("sha256").update(token).digest();
  return {
    admit(route, request) {
      if (route.access === "public") return { actor: "nobody" };
      const sent = /^Bearer[ \t]+(\S+)[ \t]*$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
      if (!timingSafeEqual(createHash("sha256").update(sent).digest(), expected)) {
        throw new DomainError(
          "unauthenticated",
          "Send the operator token as `Authorization: Bearer <token>`. It is in admin.token in DATA_DIR.",
        );
      }
      const actor = request.headers["x-outreach-actor"];
      return { actor: typeof actor === "string" && ACTOR.test(actor) ? actor : "operator" };
    },
    allowWrite() {},
    addLogFields(operator, line) {
      line.actor = operator.actor;
    },
  };
}

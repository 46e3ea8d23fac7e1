import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { readOptOut } from "../../opt-out-rules/index.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { canonicalPhoneNumber } from "../leads/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { InboundText, ReceivedText } from "./opt-outs.schema.ts";
import * as sql from "./opt-outs.sql.ts";
import { recordOptOut } from "./record-opt-out.ts";

export interface ReceiveTextDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  /** Told once an opt-out has committed: what runs to the number is to end. */
  optedOut(person: { organizationId: string; phoneNumber: string }): void;
}

/** In place of the words, where the carrier knows a keyword that the rules don't. */
const BY_CARRIER = "stop (the carrier's)";

/**
 * Takes a text that somebody sent. One that asks not to be called or texted again puts its sender on the do-not-call list with
 * the text as evidence, in the transaction that stores it; a call to them that rings or runs ends. Any `to` is taken: a text to a number that the organization has given
 * up, or to a short code, is a wish all the same, and a refusal would only make the carrier send it again.
 * @throws DomainError invalid_phone_number (of the sender), organization_not_found
 */
export async function receiveText(
  deps: ReceiveTextDeps,
  input: { organizationId: string; from: string; to: string; body: string; isOptOutByCarrier?: boolean },
): Promise<ReceivedText> {
  const from = canonicalNumber(input.from);
  const to = canonicalPhoneNumber(input.to) ?? input.to.trim();
  const { id: organizationId } = await readOrganization(deps, input.organizationId);
  const told = readOptOut(input.body, { channel: "text", speaker: "user" });
  const reading = input.isOptOutByCarrier && !told.opt_out ? { opt_out: true, matched: BY_CARRIER } : told;
  return deps.database.transaction(async (transaction) => {
    const id = deps.newId();
    const [text] = await transaction.query<InboundText>({
      ...sql.insertText,
      values: [
        ...[organizationId, id, from, to, input.body],
        ...[reading.opt_out, reading.matched, timestamp(deps.clock.now())],
      ],
    });
    const leadIds = reading.opt_out
      ? await recordOptOut(deps, transaction, {
          organizationId,
          phoneNumber: from,
          leadId: null,
          source: "text",
          sourceId: id,
          evidence: input.body,
        })
      : [];
    if (reading.opt_out) transaction.afterCommit(() => deps.optedOut({ organizationId, phoneNumber: from }));
    return { ...text!, lead_ids: leadIds };
  });
}

import type { Transaction } from "../../database/database.ts";
import { readOptOut } from "../../opt-out-rules/index.ts";
import type { TurnRole, TurnSource } from "../../voice/transcript.ts";
import { recordOptOut } from "../opt-outs/index.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { personOf } from "./person-of-call.ts";
import type { CallRow } from "./present-call.ts";

/** Turns whose words are known to be the person's: voice activity has no words, keyed digits were acted on in the call. */
const WORDS: readonly TurnSource[] = ["stt", "simulated"];

interface Turn {
  role: TurnRole;
  source: TurnSource;
  text: string;
}

/**
 * Reads an answered call's words once more at its end, and records an opt-out that the call missed, in the transaction of the
 * end. What a machine said is no wish.
 * @returns whether the person opted out
 */
export async function optOutInTranscript(
  deps: Pick<CallsDeps, "clock" | "newId">,
  transaction: Transaction,
  call: CallRow,
  organizationId: string,
): Promise<boolean> {
  if (call.answered_by === "machine") return false;
  const turns = await transaction.query<Turn>({
    ...sql.readTurns,
    values: [organizationId, call.id],
  });
  const said = wishIn(turns);
  if (said === null) return false;
  const person = await personOf(transaction, {
    organizationId,
    leadId: call.lead_id,
    to: call.to_number,
    from: call.from_number,
    isInbound: call.origin === "inbound",
  });
  if (person.phoneNumber !== null) {
    await recordOptOut(deps, transaction, {
      organizationId,
      phoneNumber: person.phoneNumber,
      leadId: person.leadId,
      source: "call",
      sourceId: call.id,
      evidence: said,
    });
    await transaction.query({ ...sql.clearCallback, values: [organizationId, call.id] });
  }
  return true;
}

/** The words of the first wish not to be called; null when there is none. */
function wishIn(turns: readonly Turn[]): string | null {
  const isWish = (text: string) => readOptOut(text, { channel: "call", speaker: "user" }).opt_out;
  let before = "";
  for (const { role, source, text } of turns) {
    if (role === "agent") before = "";
    if (role !== "user" || !WORDS.includes(source)) continue;
    if (isWish(text)) return text;
    // A pause for breath makes two turns of one sentence.
    const both = `${before} ${text}`;
    if (before !== "" && isWish(both)) return both;
    before = text;
  }
  return null;
}

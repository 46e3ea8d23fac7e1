import type { Transaction } from "../../database/database.ts";
import { adaptPace, NO_PACE, type StoredPace } from "./adapt-pace.ts";
import { countLines } from "./claim-leads.sql.ts";
import { type DialTerms, isDry } from "./dial-facts.ts";
import { linesToDial } from "./pacing/lines-to-dial.ts";

/** In words, why nothing at all can be dialed; null when nothing is in the way. */
export function haltOf(terms: DialTerms): string | null {
  if (terms.agent_id === null) return "The campaign has no agent.";
  if (!terms.has_template) return "The campaign's agent has no call template.";
  if (terms.organization_status !== "active") return "The organization is suspended.";
  if (terms.sandbox) return "A sandbox places no calls.";
  if (!terms.voice_enabled) return "The organization may not place calls.";
  if (!terms.has_caller_id) return "The organization has no phone number to call from.";
  if (isDry(terms)) return "The wallet doesn't have the first minute of a call.";
  return null;
}

/**
 * How many more lines the campaign may dial now. The transaction holds its pacing.
 * @param starts that its calls per second allow
 */
export async function freeLines(
  transaction: Transaction,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
  terms: DialTerms,
  pacing: StoredPace,
  starts: number,
  now: number,
): Promise<number> {
  const [lines] = await transaction.query<{
    organization_live: number;
    undialed: number;
    pending: number;
    talking: number;
    others: number;
  }>({ ...countLines, values: [organizationId, campaignId] });
  const { organization_live, undialed, pending, talking, others } = lines!;
  const price = terms.phone_rate_per_minute;
  const mode = terms.dialer_mode ?? "ai";
  const { pace, abandonment } =
    mode === "predictive"
      ? await adaptPace(transaction, { organizationId, campaignId }, pacing, now)
      : NO_PACE;
  return linesToDial({
    mode,
    concurrency: Math.min(terms.concurrency ?? terms.concurrency_limit, terms.concurrency_limit),
    linesPerSeat: terms.lines_per_seat,
    pace,
    lines: { pending, talking, others },
    abandonment,
    room: {
      organization: terms.concurrency_limit - organization_live - undialed,
      channels: Number.POSITIVE_INFINITY,
      starts,
      holds:
        price === 0 ? Number.POSITIVE_INFINITY : Math.floor((terms.balance - terms.held) / price) - undialed,
    },
  });
}

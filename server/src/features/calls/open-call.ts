import { type Transaction, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Carrier } from "../../voice/carriers/carrier.ts";
import type { CallSetup } from "../../voice/session/ports.ts";
import { type CallTemplate, holdAgent, resolveCallTemplate, type Scalar } from "../agents/index.ts";
import { placeHold } from "../billing/index.ts";
import { isOnDnc } from "../dnc/index.ts";
import { canonicalPhoneNumber, findLead, findLeadByNumber } from "../leads/index.ts";
import { pickCallerId, takeCallerId } from "../numbers/index.ts";
import { CONNECT_WITHIN_MS, hashAccessToken, makeAccessToken } from "./access-token.ts";
import { callSetup } from "./call-setup.ts";
import type { AgentCallCreate, CallCreate } from "./calls.schema.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { failsAs } from "./fails-as.ts";
import { readSeats } from "./seats.sql.ts";
import { LEASE_MS } from "./voice-host.ts";

/** A request to start a call: with a template of its own, or an agent's. */
export type CallRequest = {
  organizationId: string;
  /** Who asked for it; `api` when left out. */
  origin?: "api" | "app";
  /** Of a campaign's call, whoever else asks. */
  campaign?: CampaignOfCall;
  /** Somebody calls us. */
  inbound?: InboundParty;
} & ({ agentId: null; body: CallCreate } | { agentId: string; body: AgentCallCreate });

/** Who calls which number of ours. */
export interface InboundParty {
  /** E.164; null when it is kept back. */
  from: string | null;
  /** E.164 */
  to: string;
  /** Gives the call when it is dialed. */
  carrier: Carrier;
}

/** The campaign that a call is made for. */
export interface CampaignOfCall {
  id: string;
  /** Chosen before: starting a call twice is impossible. */
  callId: string;
  /** Asked last, in the transaction that stores the call. False: it isn't wanted any more, and nothing is stored. */
  mayDial(transaction: Transaction): Promise<boolean>;
}

/** A call that is stored and paid for its first minute, and that nobody has been asked to place yet. */
export interface OpenedCall {
  setup: CallSetup;
  organizationId: string;
  callId: string;
  medium: "phone" | "browser";
  agentId: string | null;
  leadId: string | null;
  campaignId: string | null;
  /** The number's own; the one that has taken the call, as soon as one has. */
  carrier: string | null;
  from: string | null;
  to: string | null;
  /** They have called us: `from` is the person's number, `to` ours. */
  isInbound: boolean;
  template: CallTemplate;
  ratePerMinute: number;
  metadata: Readonly<Record<string, Scalar>>;
  timezone: string;
  createdAt: number;
  /** Of a browser call. */
  accessToken: string | null;
}

interface Terms {
  status: string;
  voice_enabled: boolean;
  sandbox: boolean;
  timezone: string;
  phone_rate_per_minute: number;
  browser_rate_per_minute: number;
}

/**
 * Checks everything but the carrier, in the contract's order, and stores the call with its hold.
 * @throws DomainError organization_not_active, not_found, agent_has_no_call_template, voice_suspended, lead_not_found,
 * from_number_not_owned, no_did_available, destination_on_dnc, insufficient_balance, concurrency_limit_reached; conflict for a
 * campaign's call that isn't wanted any more
 */
export async function openCall(
  deps: CallsDeps,
  transaction: Transaction,
  { ownerId }: { ownerId: string },
  request: CallRequest,
): Promise<OpenedCall> {
  const { organizationId, body } = request;
  const medium = body.medium === "phone" ? "phone" : "browser";
  const [terms] = await failsAs("org_lookup_failed", "The organization could not be looked up.", () =>
    transaction.query<Terms>({ ...sql.readTerms, values: [organizationId] }),
  );
  if (terms?.status !== "active") {
    throw new DomainError(
      "organization_not_active",
      "The organization is suspended: it can read, but not write.",
    );
  }
  const agent =
    request.agentId === null ? null : await holdAgent(transaction, organizationId, request.agentId);
  const template = agent?.callTemplate ?? resolveCallTemplate(body as CallCreate);
  if (terms.sandbox || !terms.voice_enabled) {
    throw new DomainError(
      "voice_suspended",
      terms.sandbox ? "A sandbox places no calls." : "The organization may not place calls.",
    );
  }

  const { campaign, inbound } = request;
  const lead = inbound
    ? await callerAsLead(transaction, organizationId, inbound)
    : await leadOf(transaction, organizationId, body.lead_id ?? null);
  const to = inbound?.to ?? (medium === "phone" ? destinationOf(body.to_number, lead?.phone_number) : null);
  const number = inbound
    ? { phone_number: inbound.from, carrier: inbound.carrier.name }
    : to === null
      ? null
      : await callerId(deps, transaction, organizationId, body.from_number, to);
  // Who calls wants to be talked to.
  if (!inbound) await refuseListed(transaction, organizationId, to);

  const callId = campaign?.callId ?? deps.newId();
  const ratePerMinute = medium === "phone" ? terms.phone_rate_per_minute : terms.browser_rate_per_minute;
  // Locks the wallet until the transaction ends: starts of one organization come one after the other from here on.
  await placeHold(deps, transaction, { organizationId, callId, tokens: ratePerMinute });
  await refuseAboveCap(transaction, organizationId);
  // Once more: the wait for the wallet may have been long, and it may have been listed meanwhile.
  if (!inbound) await refuseListed(transaction, organizationId, to);
  // After the wallet, which every end of a call holds too; and no longer than it takes to store the call: a stop waits for it.
  if (campaign && !(await campaign.mayDial(transaction)))
    throw new DomainError("conflict", "The campaign doesn't want the call any more.");

  const now = deps.clock.now();
  const accessToken = medium === "browser" ? makeAccessToken(organizationId) : null;
  const carrier = number?.carrier ?? null;
  const templateContext = body.template_context ?? {};
  const metadata = body.metadata ?? {};
  await transaction.query({
    ...sql.insertCall,
    values: [
      organizationId,
      callId,
      campaign ? "campaign" : inbound ? "inbound" : (request.origin ?? "api"),
      medium,
      lead?.id ?? null,
      agent?.id ?? null,
      carrier,
      to,
      number?.phone_number ?? null,
      JSON.stringify(template),
      JSON.stringify(templateContext),
      JSON.stringify(metadata),
      ratePerMinute,
      accessToken === null ? null : hashAccessToken(accessToken),
      accessToken === null ? null : timestamp(now + CONNECT_WITHIN_MS),
      ownerId,
      timestamp(now + LEASE_MS),
      timestamp(now),
      campaign?.id ?? null,
    ],
  });
  return {
    setup: callSetup({
      organizationId,
      callId,
      medium,
      carrier,
      toNumber: to,
      template,
      templateContext,
      lead,
      agentName: agent?.name ?? null,
      seats:
        campaign && number?.phone_number
          ? await seatsOf(transaction, organizationId, campaign.id, number.phone_number)
          : null,
    }),
    organizationId,
    callId,
    medium,
    agentId: agent?.id ?? null,
    leadId: lead?.id ?? null,
    campaignId: campaign?.id ?? null,
    carrier,
    from: number?.phone_number ?? null,
    to,
    isInbound: inbound !== undefined,
    template,
    ratePerMinute,
    metadata,
    timezone: terms.timezone,
    createdAt: now,
    accessToken,
  };
}

/** What somebody who finds no seat is told; null where the campaign's calls need none. */
async function seatsOf(
  transaction: Transaction,
  organizationId: string,
  campaignId: string,
  fromNumber: string,
) {
  const [seats] = await transaction.query<{ organization_name: string; needed: boolean | null }>({
    ...readSeats,
    values: [organizationId, campaignId],
  });
  return seats?.needed ? { organizationName: seats.organization_name, fromNumber } : null;
}

async function callerAsLead(transaction: Transaction, organizationId: string, { from }: InboundParty) {
  return from === null ? null : ((await findLeadByNumber(transaction, organizationId, from)) ?? null);
}

async function leadOf(transaction: Transaction, organizationId: string, leadId: string | null) {
  if (leadId === null) return null;
  const lead = await failsAs("lead_lookup_failed", "The lead could not be looked up.", () =>
    findLead(transaction, organizationId, leadId),
  );
  if (!lead) throw new DomainError("lead_not_found", "lead_id is not a lead of this organization.");
  return lead;
}

function destinationOf(sent: string | undefined, leadNumber: string | undefined): string {
  const to = sent === undefined ? leadNumber : canonicalPhoneNumber(sent);
  if (!to) throw new DomainError("invalid_to_number", "to_number must be 10 to 15 digits.");
  return to;
}

async function callerId(
  deps: CallsDeps,
  transaction: Transaction,
  organizationId: string,
  sent: string | undefined,
  toNumber: string,
) {
  if (sent === undefined) {
    const picked = await pickCallerId(deps, transaction, { organizationId, toNumber });
    if (picked) return picked;
    throw new DomainError("no_did_available", "The organization has no phone number to call from.");
  }
  const phoneNumber = canonicalPhoneNumber(sent)!;
  const owned = await takeCallerId(deps, transaction, { organizationId, phoneNumber });
  if (owned) return owned;
  throw new DomainError("from_number_not_owned", "from_number is not one of the organization's numbers.");
}

async function refuseListed(transaction: Transaction, organizationId: string, to: string | null) {
  if (to !== null && (await isOnDnc(transaction, organizationId, to)))
    throw new DomainError("destination_on_dnc", "The number is on the organization's do-not-call list.");
}

/** Counts under the wallet's lock. */
async function refuseAboveCap(transaction: Transaction, organizationId: string): Promise<void> {
  const [cap] = await transaction.query<{ concurrency_limit: number; live: number }>({
    ...sql.countLive,
    values: [organizationId],
  });
  if (cap!.live < cap!.concurrency_limit) return;
  throw new DomainError(
    "concurrency_limit_reached",
    `The organization has ${cap!.live} live calls and may have ${cap!.concurrency_limit}. Try again when one has ended.`,
  );
}

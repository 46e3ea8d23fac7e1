import type { ApiCaller } from "../../http/authentication.ts";
import type { ErrorCode } from "../../http/error-codes.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, NoFields, pageFrom } from "../../http/schema.ts";
import { readAgent } from "../agents/index.ts";
import { recordingLink } from "../recordings/index.ts";
import {
  AgentCallCreate,
  AgentCallListQuery,
  Call,
  CallCreate,
  CallListQuery,
  CallPage,
  CreatedCall,
  Transcript,
} from "./calls.schema.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { connectRoute } from "./connect.route.ts";
import { hangupCall } from "./hangup-call.ts";
import { filterFrom, listCalls, readCall, readTranscript } from "./read-calls.ts";
import { checkNumbers, startCall } from "./start-call.ts";

/** What starting a call can be refused with, beyond what the schema of its body says. */
export const START_ERRORS: readonly ErrorCode[] = [
  "voice_suspended",
  "lead_not_found",
  "from_number_not_owned",
  "no_did_available",
  "destination_on_dnc",
  "insufficient_balance",
  "concurrency_limit_reached",
  "concurrency_limit",
  "carrier_dial_failed",
  "voice_carrier_blocked",
  "no_voice_carrier_available",
  "voice_provider_unavailable",
  "call_creation_failed",
  "call_record_failed",
  "lead_lookup_failed",
  "org_lookup_failed",
];

const STARTED = {
  201: {
    description: "The carrier has accepted the call, or the browser is awaited",
    schema: CreatedCall,
  },
};

export function callsRoutes(deps: CallsDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/calls",
      operationId: "listCalls",
      tag: "Calls",
      summary: "List calls, newest first",
      access: "calls:read",
      query: CallListQuery,
      responses: { 200: { description: "A page of calls", schema: CallPage } },
      errors: ["campaign_not_found", "lead_not_found"],
      async handle({ caller, query }) {
        const page = pageFrom(query);
        const data = await listCalls(deps, caller.organizationId, filterFrom(query), page);
        return { body: { data, ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/calls",
      operationId: "startCall",
      tag: "Calls",
      summary: "Start a call with a prompt of its own",
      description:
        "The carrier is asked before the answer: what it refuses is `502` or `503`, leaves a failed call and costs nothing. Without an `Idempotency-Key`, a retry places a second call. A browser call comes with `browser_session`, which is good for 60 seconds.",
      access: "calls:write",
      writes: true,
      idempotent: true,
      body: CallCreate,
      responses: STARTED,
      errors: START_ERRORS,
      checkBody: checkNumbers,
      async handle({ caller, body, remember }) {
        const request = { organizationId: caller.organizationId, agentId: null, body };
        return { status: 201, body: await startCall(deps, request, remember) };
      },
    }),
    route({
      method: "GET",
      path: "/calls/:id",
      operationId: "readCall",
      tag: "Calls",
      summary: "Read a call",
      access: "calls:read",
      params: IdParams,
      responses: { 200: { description: "The call", schema: Call } },
      async handle({ caller, params }) {
        return { body: await readCall(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "POST",
      path: "/calls/:id/hangup",
      operationId: "hangUpCall",
      tag: "Calls",
      summary: "End a live call",
      description: "Answers once the call has ended.",
      access: "calls:write",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "The call, ended", schema: Call } },
      errors: ["call_already_ended", "call_not_connected", "hangup_failed"],
      async handle({ caller, params: { id } }) {
        const { organizationId } = caller;
        await hangupCall(deps, { organizationId, id, reason: "hung up through the API", ringing: "refuse" });
        return { body: await readCall(deps, organizationId, id) };
      },
    }),
    route({
      method: "GET",
      path: "/calls/:id/transcript",
      operationId: "readTranscript",
      tag: "Calls",
      summary: "Read a call's transcript",
      description: "What was said so far while the call runs; `ready` once it has ended.",
      access: "calls:read",
      params: IdParams,
      responses: { 200: { description: "The transcript", schema: Transcript } },
      async handle({ caller, params }) {
        return { body: await readTranscript(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "GET",
      path: "/calls/:id/recording",
      operationId: "readRecording",
      tag: "Calls",
      summary: "Get a call's recording",
      description:
        "Redirects to a signed link that is good for 15 minutes and needs no API key. It answers range requests.",
      access: "calls:read",
      params: IdParams,
      responses: { 302: { description: "In `Location`, the link to the audio" } },
      errors: ["recording_not_available"],
      async handle({ caller, params }) {
        const { organizationId } = caller;
        const location = await recordingLink(deps, { organizationId, callId: params.id });
        return { status: 302, headers: { location } };
      },
    }),
    connectRoute(deps),
    route({
      method: "GET",
      path: "/agents/:id/calls",
      operationId: "listAgentCalls",
      tag: "Agents",
      summary: "List an agent's calls, newest first",
      access: "calls:read",
      params: IdParams,
      query: AgentCallListQuery,
      responses: { 200: { description: "A page of calls", schema: CallPage } },
      errors: ["campaign_not_found", "lead_not_found"],
      async handle({ caller: { organizationId }, params, query }) {
        const agent = await readAgent(deps, organizationId, params.id);
        const page = pageFrom(query);
        const filter = { ...filterFrom(query), agentId: agent.id };
        return { body: { data: await listCalls(deps, organizationId, filter, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/agents/:id/calls",
      operationId: "startAgentCall",
      tag: "Agents",
      summary: "Start a call with an agent",
      access: "calls:write",
      writes: true,
      idempotent: true,
      params: IdParams,
      body: AgentCallCreate,
      responses: STARTED,
      errors: ["agent_has_no_call_template", ...START_ERRORS],
      checkBody: checkNumbers,
      async handle({ caller, params, body, remember }) {
        const request = { organizationId: caller.organizationId, agentId: params.id, body };
        return { status: 201, body: await startCall(deps, request, remember) };
      },
    }),
  ];
}

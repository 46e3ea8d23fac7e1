import { Type } from "typebox";
import { type CallsDeps, CreatedCall, START_ERRORS, startCall } from "../features/calls/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import { recordingLink } from "../features/recordings/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields } from "../http/schema.ts";
import { OrganizationItemParams } from "./organization-params.ts";

const RecordingLink = Type.Object(
  { url: Type.String({ description: "Good for 15 minutes, without a token" }) },
  { "x-name": "RecordingLink" },
);

/** What the demo page needs beyond the other private routes: a call from the page, and its recording to listen to. */
export function browserCallsRoutes(deps: CallsDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const organization = "/organizations/:organization_id";
  return [
    route({
      method: "POST",
      path: `${organization}/agents/:id/browser-calls`,
      operationId: "startBrowserCall",
      tag: "Calls",
      summary: "Start a browser call with an agent",
      description: "As the demo page does. The answer's `browser_session` is good for 60 seconds.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 201: { description: "The browser is awaited", schema: CreatedCall } },
      errors: ["organization_not_found", "agent_has_no_call_template", ...START_ERRORS],
      async handle({ params: { organization_id: organizationId, id: agentId } }) {
        await readOrganization(deps, organizationId);
        const body = await startCall(deps, {
          organizationId,
          agentId,
          origin: "app",
          body: { medium: "browser" },
        });
        return { status: 201, body };
      },
    }),
    route({
      method: "GET",
      path: `${organization}/calls/:id/recording-link`,
      operationId: "linkRecording",
      tag: "Calls",
      summary: "Make a link to a call's recording",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The link", schema: RecordingLink } },
      errors: ["organization_not_found", "recording_not_available"],
      async handle({ params: { organization_id: organizationId, id: callId } }) {
        await readOrganization(deps, organizationId);
        return { body: { url: await recordingLink(deps, { organizationId, callId }) } };
      },
    }),
  ];
}

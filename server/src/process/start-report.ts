import { relative } from "node:path";
import type { Config } from "../config.ts";
import type { Demo } from "../demo/index.ts";

/** What the start tells a person: the addresses; on the first start the demo's keys too, and what to try with them. */
export function startReport(input: {
  config: Config;
  service: { publicUrl: string; adminUrl: string };
  demo: Demo | null;
  /** The operator token, where it may be shown. */
  token: string | null;
}): string {
  const { config, service, demo, token } = input;
  // With PORT=0 the system has picked one, which the configuration doesn't know.
  const url = config.public.port === 0 ? service.publicUrl : config.public.url;
  const lines = ["", "Outreach is running.", ""];
  if (config.roles.has("api")) {
    lines.push(`  Public API     ${url}/v1`);
    lines.push(`  Reference      ${url}/docs`);
    lines.push(`  Guide          ${url}/getting-started.md`);
  }
  if (config.roles.has("admin")) {
    lines.push(`  Private API    ${service.adminUrl}/private/v1`);
    if (config.adminToken === null) lines.push(`  Its token      ${shortPath(config.dataDir)}/admin.token`);
    lines.push(`  Browser call   ${service.adminUrl}/demo${token === null ? "" : `#token=${token}`}`);
  }
  lines.push(`  Health         ${service.adminUrl}/readyz`);
  if (config.webhookAllowPrivateTargets) {
    lines.push(
      "",
      "Warning: WEBHOOK_ALLOW_PRIVATE_TARGETS=1 lets webhooks go to http and private addresses. For development only.",
    );
  }
  if (demo !== null) lines.push(...demoLines(demo, url, config.webhookAllowPrivateTargets));
  return `${lines.join("\n")}\n\n`;
}

function demoLines(demo: Demo, url: string, privateTargets: boolean): string[] {
  const key = `-H "Authorization: Bearer ${demo.liveKey}"`;
  const json = `-H "Content-Type: application/json"`;
  return [
    "",
    "This is the first start, so there is a demo organization now. Its keys are shown this once and stored nowhere:",
    "",
    `  Live key       ${demo.liveKey}`,
    `  Sandbox key    ${demo.sandboxKey}`,
    `  Organization   ${demo.organizationId}`,
    `  Wallet         ${demo.tokens.toLocaleString("en-US")} tokens`,
    `  Campaign       ${demo.campaignId}`,
    `  Agent          ${demo.agentId}`,
    `  Caller id      ${demo.callerId}`,
    "",
    "Three lines to try, in another terminal:",
    "",
    `  curl -s ${url}/v1/leads ${key} ${json} -d '{"phone_number":"(212) 555-0100","first_name":"Ada","consent_source":"web_form"}'`,
    "",
    // A number of the simulated carrier: a person answers, talks a little and hangs up.
    `  curl -s ${url}/v1/agents/${demo.agentId}/calls ${key} ${json} -d '{"medium":"phone","to_number":"(212) 555-0100"}'`,
    "",
    privateTargets
      ? `  curl -s ${url}/v1/webhooks ${key} ${json} -d '{"target_url":"http://localhost:4000/","event_types":["*"]}'`
      : `  curl -s ${url}/v1/calls ${key}`,
    "",
    "The call is simulated, its audio is real. What was said:  /v1/calls/<id>/transcript, and to hear it:  /v1/calls/<id>/recording",
    "",
    "The campaign is a draft with ten simulated people. How many may be called now, and then calling them:",
    "",
    `  npx outreach campaign preview --org ${demo.organizationId} --campaign ${demo.campaignId}`,
    `  npx outreach campaign launch --org ${demo.organizationId} --campaign ${demo.campaignId}`,
    "",
    privateTargets
      ? "To see events arrive here, with their signatures checked:  npx outreach listen  (--secret … for a webhook of yours)"
      : "To see events arrive here, start with WEBHOOK_ALLOW_PRIVATE_TARGETS=1 and run:  npx outreach listen",
  ];
}

/** As it would be typed here, when that is shorter. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere !== "" && !fromHere.startsWith("..") ? fromHere : path;
}

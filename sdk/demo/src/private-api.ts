/** What the page asks of the private API, which serves it. */
export interface PrivateApi {
  agents(): Promise<DemoAgent[]>;
  startCall(agent: DemoAgent): Promise<StartedCall>;
  /** The call once it has ended and its transcript is stored. */
  endedCall(agent: DemoAgent, callId: string): Promise<EndedCall>;
  /** @returns null when the call wasn't recorded */
  recording(agent: DemoAgent, callId: string): Promise<string | null>;
}

export interface DemoAgent {
  organizationId: string;
  organizationName: string;
  id: string;
  name: string;
}

export interface StartedCall {
  id: string;
  browser_session: {
    access_token: string;
    connect_url: string;
    ice_servers: RTCIceServer[];
  };
}

export interface EndedCall {
  id: string;
  status: string;
  call_outcome: string | null;
  duration_seconds: number | null;
  cost_tokens: number | null;
  summary: string | null;
  recording_url: string | null;
}

/** An answer that isn't the one that was asked for; the message is for a person. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const SETTLES_WITHIN_MS = 10_000;
const ORGANIZATIONS = 20;

export function privateApi(token: string): PrivateApi {
  async function ask<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`/private/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "x-outreach-actor": "demo page",
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch(() => {
      throw new ApiError(0, "The service doesn't answer. Is it running?");
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok)
      throw new ApiError(response.status, answer.message ?? `The service answered ${response.status}.`);
    return answer;
  }
  const pathOf = (agent: DemoAgent) => `/organizations/${agent.organizationId}`;

  return {
    async agents() {
      type Named = { id: string; name: string; sandbox?: boolean };
      const { data } = await ask<{ data: Named[] }>("GET", `/organizations?limit=${ORGANIZATIONS}`);
      const lists = await Promise.all(
        data
          .filter(({ sandbox }) => !sandbox)
          .map(async (organization) => {
            const found = await ask<{ data: Named[] }>("GET", `/organizations/${organization.id}/agents`);
            return found.data.map(({ id, name }) => ({
              organizationId: organization.id,
              organizationName: organization.name,
              id,
              name,
            }));
          }),
      );
      return lists.flat();
    },
    startCall: (agent) => ask<StartedCall>("POST", `${pathOf(agent)}/agents/${agent.id}/browser-calls`, {}),
    async endedCall(agent, callId) {
      const deadline = performance.now() + SETTLES_WITHIN_MS;
      for (;;) {
        const call = await ask<EndedCall & { ended_at: string | null; transcript_status: string }>(
          "GET",
          `${pathOf(agent)}/calls/${callId}`,
        );
        const settled = call.ended_at !== null && call.transcript_status !== "pending";
        if (settled || performance.now() > deadline) return call;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    },
    async recording(agent, callId) {
      const found = await ask<{ url: string }>(
        "GET",
        `${pathOf(agent)}/calls/${callId}/recording-link`,
      ).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      });
      return found?.url ?? null;
    },
  };
}

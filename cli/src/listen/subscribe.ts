import type { ApiClient } from "../api-client.ts";
import { type Environment, publicApi } from "../connection.ts";
import { Refusal } from "../failure.ts";
import { organizationPath } from "../verb.ts";

/** What the subscription and the key are called: what a killed `listen` left behind is recognized by it. */
const NAME = "outreach listen";

export interface Subscription {
  id: string;
  secret: string;
  organizationId: string | null;
  /** Removes it, and the key that was made for it. */
  remove(): Promise<void>;
}

/** A subscription that somebody else made sends here already: another one would show every event twice. */
export class AlreadySubscribed extends Error {
  override readonly name = "AlreadySubscribed";
  readonly id: string;

  constructor(id: string) {
    super(`Subscription ${id} sends here already. Give its secret with --secret to have signatures checked.`);
    this.id = id;
  }
}

/**
 * Subscribes this receiver to an organization's events for as long as it listens, through the public API as any
 * customer would.
 * @throws Refusal what the service says; AlreadySubscribed
 */
export async function subscribeWithKey(
  environment: Environment,
  input: { key: string; api: string | undefined; port: number; eventTypes: readonly string[] },
): Promise<Subscription> {
  const api = publicApi(environment, input.key, input.api);
  const targets = ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${input.port}/`);
  const { data } = await api.get("/webhooks", { limit: 200 });
  for (const webhook of data as { id: string; name: string; target_url: string; enabled: boolean }[]) {
    if (!targets.includes(webhook.target_url.replace(/\/?$/, "/"))) continue;
    if (webhook.name === NAME) await api.delete(`/webhooks/${webhook.id}`);
    else if (webhook.enabled) throw new AlreadySubscribed(webhook.id);
  }
  const made = await api
    .post("/webhooks", { name: NAME, target_url: targets[0], event_types: input.eventTypes })
    .catch((error: unknown) => {
      throw withWayOut(error);
    });
  return {
    id: made.id as string,
    secret: made.secret as string,
    organizationId: null,
    remove: async () => void (await api.delete(`/webhooks/${made.id}`)),
  };
}

/** The same for an operator who has no key at hand: with one made for this, which is revoked afterwards. */
export async function subscribeOrganization(
  environment: Environment,
  privateApi: ApiClient,
  input: { organizationId: string; api: string | undefined; port: number; eventTypes: readonly string[] },
): Promise<Subscription> {
  const keys = organizationPath(input.organizationId, "keys");
  const made = await privateApi.post(keys, { name: NAME, scopes: ["webhooks:manage"] });
  const revoke = () => privateApi.post(`${keys}/${made.id}/revoke`, {});
  try {
    const subscription = await subscribeWithKey(environment, { ...input, key: made.key as string });
    return {
      ...subscription,
      organizationId: input.organizationId,
      async remove() {
        await subscription.remove().finally(revoke);
      },
    };
  } catch (error) {
    await revoke().catch(() => {});
    throw error;
  }
}

/** The one organization that can be meant when none is named, or null. */
export async function onlyLiveOrganization(privateApi: ApiClient): Promise<string | null> {
  const { data } = await privateApi.get("/organizations", { limit: 200 });
  const live = (data as { id: string; status: string; sandbox: boolean }[]).filter(
    (organization) => organization.status === "active" && !organization.sandbox,
  );
  return live.length === 1 ? live[0]!.id : null;
}

function withWayOut(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { error: code, message, ...details } = error.envelope as { error: string; message?: string };
  if (!["https_required_in_production", "private_hostname", "private_ipv4"].includes(code)) return error;
  return new Refusal({
    error: code,
    message: `${message ?? "The service refuses this receiver's address."} To send webhooks to this machine, start the service with WEBHOOK_ALLOW_PRIVATE_TARGETS=1.`,
    ...details,
  });
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../server/src/clock.ts";
import type { ApiCaller } from "../server/src/http/authentication.ts";
import type { RouteDefinition } from "../server/src/http/route.ts";
import { SCOPES } from "../server/src/http/scopes.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../server/src/testing/fake-voice-plane.ts";
import { startTestService, type TestResponse, type TestService } from "../server/src/testing/harness.ts";

/**
 * What holds for every route, whatever it does. The tables are made from the routes that are served, so that a new route
 * is tested before anybody thinks of it, and a route with an id that has no maker below fails.
 */

const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

let app: TestService;
let plane: FakeVoicePlane;
let owner: { organizationId: string; key: string };
let stranger: { organizationId: string; key: string };

type Route = RouteDefinition<ApiCaller>;

/** Catalogs of the service itself: their ids are names, and every organization sees the same. */
const shared = new Set(["voices"]);
const hasOwnId = (route: Route) =>
  route.path.includes(":id") && !route.unavailable && !shared.has(route.path.split("/")[1]!);

/** Every maker makes the same lead, whose appointments mustn't overlap. */
let hours = Date.UTC(2027, 0, 1);
const nextHour = () => {
  hours += 3_600_000;
  return hours;
};

/** Makes a resource of the owner's, by the path segment that its id follows. */
const makers: Record<string, () => Promise<string>> = {
  leads: async () => {
    const { body } = await app.call("/v1/leads", { key: owner.key, json: { phone_number: "4155550199" } });
    return String(body.id);
  },
  campaigns: async () => {
    const path = `/private/v1/organizations/${owner.organizationId}/campaigns`;
    const { body } = await app.callPrivate(path, { json: { name: "Theirs" } });
    return String(body.id);
  },
  appointments: async () => {
    const json = { lead_id: await makers.leads!(), appointment_datetime: new Date(nextHour()).toISOString() };
    const { body } = await app.call("/v1/appointments", { key: owner.key, json });
    return String(body.id);
  },
  agents: async () => {
    const json = { name: "Theirs", call_template: { system_prompt: "Be kind." } };
    const { body } = await app.call("/v1/agents", { key: owner.key, json });
    return String(body.id);
  },
  calls: async () => {
    const path = `/private/v1/organizations/${owner.organizationId}/wallet/credits`;
    await app.callPrivate(path, { json: { tokens: 1_000 } });
    const json = { medium: "browser", system_prompt: "Be kind." };
    const { body } = await app.call("/v1/calls", { key: owner.key, json });
    await plane.last().end({ status: "failed", outcome: "not_connected" });
    return String(body.id);
  },
  webhooks: async () => {
    const json = { target_url: "http://127.0.0.1:9/hook", event_types: ["*"] };
    const { body } = await app.call("/v1/webhooks", { key: owner.key, json });
    return String(body.id);
  },
};

beforeAll(async () => {
  plane = fakeVoicePlane(systemClock());
  app = await startTestService({
    environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" },
    service: { voice: { plane, drainMs: 0 } },
  });
  owner = await app.newOrganization();
  stranger = await app.newOrganization();
});
afterAll(() => app.close());

const guarded = () =>
  app.service.routes.public.filter(({ access }) => !["public", "token", "signature"].includes(access));
const titleOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;

/** Calls a route with a body that its schema may or may not like: what is tested comes before that. */
async function callRoute(
  route: Route,
  options: { key?: string; id?: string; headers?: Record<string, string>; prefix?: string } = {},
): Promise<TestResponse> {
  const path = route.path.replace(":id", options.id ?? UNKNOWN_ID);
  return app.call(`${options.prefix ?? "/v1"}${path}`, {
    method: route.method,
    ...(options.key ? { key: options.key } : {}),
    ...(options.headers ? { headers: options.headers } : {}),
    ...(route.body ? { json: validBody(route) } : {}),
  });
}

/** The least body that a route's schema accepts. */
function validBody(route: Route): Record<string, unknown> {
  const examples: Record<string, Record<string, unknown>> = {
    "POST /leads": { phone_number: "4155550198" },
    "PATCH /leads/:id": { first_name: "X" },
    "POST /leads/inspect-csv": { csv: "phone_number\n4155550198" },
    "POST /leads/bulk": { csv: "phone_number\n4155550198" },
    "POST /agents": { name: "X", call_template: { system_prompt: "Be kind." } },
    "PATCH /agents/:id": { name: "X" },
    "POST /appointments": { lead_id: UNKNOWN_ID, appointment_datetime: "2027-01-05T10:00:00Z" },
    "PATCH /appointments/:id": { notes: "X" },
    "POST /agents/:id/phone-number": { phone_number: "4155550197" },
    "POST /calls": { medium: "browser", system_prompt: "Be kind." },
    "POST /agents/:id/calls": { medium: "browser" },
    "POST /webhooks": { target_url: "http://127.0.0.1:9/hook", event_types: ["*"] },
    "PATCH /webhooks/:id": { enabled: true },
  };
  return examples[titleOf(route)] ?? {};
}

function expectRefusal(response: TestResponse, status: number, error: string): void {
  expect(response).toMatchObject({ status, body: { error, message: expect.any(String) } });
  expect(response.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers.get("x-request-id")).toBe(response.body.request_id);
}

async function forEach(routes: Route[], check: (route: Route) => Promise<void>): Promise<void> {
  expect(routes.length).toBeGreaterThan(0);
  for (const route of routes) {
    await check(route).catch((error: Error) => {
      error.message = `${titleOf(route)}: ${error.message}`;
      throw error;
    });
  }
}

describe("every route of the public API", () => {
  it("refuses a request without a key", () =>
    forEach(guarded(), async (route) => {
      const response = await callRoute(route, { headers: { "x-forwarded-for": "192.0.2.1" } });
      if (response.status === 429) return;
      expectRefusal(response, 401, "missing_api_key");
    }));

  it("refuses a key that doesn't exist", async () => {
    const other = await startTestService();
    const known = app;
    app = other;
    try {
      await forEach(guarded(), async (route) => {
        const response = await callRoute(route, { key: `service_live_${"0".repeat(64)}` });
        expectRefusal(response, 401, "invalid_api_key");
      });
    } finally {
      app = known;
      await other.close();
    }
  });

  it("refuses a key that has every scope but the one it needs", () =>
    forEach(
      guarded().filter((route) => route.access !== "any_key"),
      async (route) => {
        const { key } = await app.newOrganization({
          scopes: SCOPES.filter((scope) => scope !== route.access),
        });
        const response = await callRoute(route, { key });
        expectRefusal(response, 403, "insufficient_scope");
        expect(response.body.required).toBe(route.access);
        expect(response.headers.get("x-ratelimit-limit")).not.toBeNull();
      },
    ));

  it("shows nothing of another organization", () =>
    forEach(guarded().filter(hasOwnId), async (route) => {
      const segment = route.path.split("/")[1]!;
      const make = makers[segment];
      expect(make, `a maker for /${segment}/:id`).toBeDefined();
      expectRefusal(await callRoute(route, { key: stranger.key, id: await make!() }), 404, "not_found");
    }));

  it("answers 404 to an id that doesn't exist, and 400 to what is no id", () =>
    forEach(guarded().filter(hasOwnId), async (route) => {
      expectRefusal(await callRoute(route, { key: owner.key, id: UNKNOWN_ID }), 404, "not_found");
      expectRefusal(await callRoute(route, { key: owner.key, id: "not-an-id" }), 400, "invalid_request");
    }));

  it("refuses the writes of a suspended organization, and lets it read", async () => {
    const suspended = await app.newOrganization();
    await app.callPrivate(`/private/v1/organizations/${suspended.organizationId}`, {
      method: "PATCH",
      json: { status: "suspended" },
    });
    await forEach(
      guarded().filter((route) => !route.unavailable && !route.path.endsWith("inspect-csv")),
      async (route) => {
        const response = await callRoute(route, { key: suspended.key });
        if (route.method === "GET") expect(response.status).not.toBe(403);
        else expectRefusal(response, 403, "organization_not_active");
      },
    );
  });

  it("answers under the alias, and with a trailing slash", () =>
    forEach(guarded(), async (route) => {
      const [plain, alias] = [
        await callRoute(route, { key: owner.key }),
        await callRoute(route, { key: owner.key, prefix: "/public/v1" }),
      ];
      const loose = (status: number) => (status === 201 ? 200 : status);
      expect(loose(alias.status)).toBe(loose(plain.status));
      const path = route.path.replace(":id", UNKNOWN_ID);
      const slashed = await app.call(`/v1${path}/`, {
        method: route.method,
        key: owner.key,
        ...(route.body ? { json: validBody(route) } : {}),
      });
      expect(loose(slashed.status)).toBe(loose(plain.status));
    }));

  it("counts every answer against the key's limit, and says how much is left", async () => {
    await forEach(guarded(), async (route) => {
      const { key } = await app.newOrganization({ rateLimit: 2 });
      const first = await callRoute(route, { key });
      expect(first.headers.get("x-ratelimit-limit")).toBe("2");
      expect(first.headers.get("x-ratelimit-remaining")).toBe("1");
      await callRoute(route, { key });
      const third = await callRoute(route, { key });
      expectRefusal(third, 429, "rate_limited");
      expect(third.headers.get("x-ratelimit-remaining")).toBe("0");
      expect(third.headers.get("retry-after")).toBe(String(third.body.retry_after_seconds));
    });
  });

  it("refuses an unknown field, and first of all organization_id", () =>
    forEach(
      guarded().filter((route) => route.method !== "GET" && !route.unavailable),
      async (route) => {
        const id = route.path.includes(":id") ? await makers[route.path.split("/")[1]!]!() : UNKNOWN_ID;
        for (const name of ["organization_id", "__proto__", "constructor", "toString"]) {
          const response = await app.call(`/v1${route.path.replace(":id", id)}`, {
            method: route.method,
            key: owner.key,
            body: `{${JSON.stringify(name)}: 1}`,
            headers: { "content-type": "application/json" },
          });
          expectRefusal(response, 400, `unknown_field:${name}`);
        }
      },
    ));

  it("refuses bodies that aren't JSON objects", () =>
    forEach(
      guarded().filter((route) => route.method !== "GET" && !route.unavailable),
      async (route) => {
        const send = (body: string, type: string) =>
          app.call(`/v1${route.path.replace(":id", UNKNOWN_ID)}`, {
            method: route.method,
            key: owner.key,
            body,
            headers: { "content-type": type },
          });
        expectRefusal(await send("{", "application/json"), 400, "invalid_json");
        expectRefusal(await send("{}", "text/plain"), 400, "invalid_json");
        expectRefusal(await send("a=1", "application/x-www-form-urlencoded"), 400, "invalid_json");
        for (const body of ["[]", "null", "1", '"x"', "true"])
          expectRefusal(await send(body, "application/json"), 400, "invalid_request");
      },
    ));
});

describe("every route of the private API", () => {
  it("refuses a request without the operator token, or with an API key", async () => {
    const routes = app.service.routes.private;
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const path = `/private/v1${route.path.replace(/:\w+/g, UNKNOWN_ID)}`;
      for (const key of ["", "wrong", owner.key]) {
        const response = await app.callPrivate(path, { method: route.method, key });
        expectRefusal(response, 401, "unauthenticated");
      }
    }
  });

  it("is not served on the public port, nor the public one on the private port", async () => {
    for (const route of app.service.routes.private) {
      const path = `/private/v1${route.path.replace(/:\w+/g, UNKNOWN_ID)}`;
      expect((await app.call(path, { method: route.method, key: owner.key })).status).toBe(404);
    }
    expect((await app.callPrivate("/v1/leads", { key: owner.key })).status).toBe(404);
  });

  it("answers 404 to an organization that doesn't exist", async () => {
    const routes = app.service.routes.private.filter(
      (route) => route.method === "GET" && /:(id|organization_id)/.test(route.path),
    );
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const response = await app.callPrivate(
        `/private/v1${route.path.replace(/:\w+/g, UNKNOWN_ID)}${route.path.endsWith("/check") ? "?phone_number=4155550100" : ""}`,
      );
      expect(response.status, route.path).toBe(404);
    }
  });
});

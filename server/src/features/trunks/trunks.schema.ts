import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { PROTOCOLS } from "../../voice/carriers/sip/index.ts";

const transport = { description: "How messages travel to it" };

export const TrunkRecord = Type.Object(
  {
    id: Uuid,
    organization_id: nullable(
      Type.String({ format: "uuid", description: "Whose it is; null: shared by all organizations" }),
    ),
    name: Type.String(),
    uri: Type.String({ description: "`sip:HOST[:PORT]`" }),
    transport: oneOf(PROTOCOLS, transport),
    username: nullable(Type.String({ description: "The password isn't shown" })),
    channels: nullable(Type.Integer({ description: "Calls at once; null: as many as come" })),
    cps: nullable(Type.Integer({ description: "Calls that begin in a second; null: as many as come" })),
    priority: Type.Integer({ description: "The lowest is tried first" }),
    register: Type.Boolean({ description: "Whether the trunk is told where this service is" }),
    created_at: Instant,
  },
  { "x-name": "Trunk" },
);
export type TrunkRecord = Static<typeof TrunkRecord>;

export const TrunkPage = pageOf(TrunkRecord);

export const TrunkAdd = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    uri: Type.String({
      minLength: 5,
      maxLength: 300,
      description: "`sip:HOST[:PORT]`, a name or an IP address",
    }),
    transport: Type.Optional(oneOf(PROTOCOLS, { ...transport, default: "udp" })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Never shown again" })),
    organization_id: Type.Optional(
      Type.String({ format: "uuid", description: "Whose it is; left out: shared by all organizations" }),
    ),
    channels: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    cps: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 10 })),
    register: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false, "x-name": "TrunkAdd" },
);
export type TrunkAdd = Static<typeof TrunkAdd>;

export const TrunkListQuery = Type.Object({
  ...pageQuery,
  organization_id: Type.Optional(
    Type.String({ format: "uuid", description: "Those that this organization's calls go through" }),
  ),
});
export const TrunkParams = Type.Object({ trunk_id: Uuid });

export const RemovedTrunk = Type.Object(
  { id: Uuid, deleted: Type.Literal(true) },
  { "x-name": "RemovedTrunk" },
);
export type RemovedTrunk = Static<typeof RemovedTrunk>;

export const TrunkTest = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    reachable: Type.Boolean({ description: "Whether the trunk answered at all" }),
    status: nullable(Type.Integer({ description: "What it answered" })),
    reason: nullable(Type.String()),
    round_trip_ms: nullable(Type.Number()),
    message: Type.String({ description: "What that means, in words" }),
  },
  { "x-name": "TrunkTest" },
);
export type TrunkTest = Static<typeof TrunkTest>;

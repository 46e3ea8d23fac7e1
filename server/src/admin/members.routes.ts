import { Type } from "typebox";
import {
  addMember,
  changeMember,
  listMembers,
  Member,
  MemberAdd,
  MemberListQuery,
  MemberPage,
  MemberPatch,
  type MembersDeps,
  removeMember,
} from "../features/members/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom, Uuid } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function membersRoutes(deps: MembersDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/members",
      operationId: "listMembers",
      tag: "Members",
      summary: "List an organization's members, newest first",
      access: "operator",
      params: OrganizationParams,
      query: MemberListQuery,
      responses: { 200: { description: "A page of members", schema: MemberPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        return { body: { data: await listMembers(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/members",
      operationId: "addMember",
      tag: "Members",
      summary: "Add a member",
      description: "An address that is a member's already is a `conflict`.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: MemberAdd,
      responses: { 201: { description: "The member", schema: Member } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        const member = await addMember(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          member: body,
        });
        return { status: 201, body: member };
      },
    }),
    route({
      method: "PATCH",
      path: "/organizations/:organization_id/members/:id",
      operationId: "changeMember",
      tag: "Members",
      summary: "Change a member's name or role",
      description: "Taking the last owner's role away is a `conflict`.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: MemberPatch,
      responses: { 200: { description: "The member as changed", schema: Member } },
      errors: ["nothing_to_update", "organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        return {
          body: await changeMember(deps, {
            organizationId: params.organization_id,
            memberId: params.id,
            actor: caller.actor,
            changes: body,
          }),
        };
      },
    }),
    route({
      method: "DELETE",
      path: "/organizations/:organization_id/members/:id",
      operationId: "removeMember",
      tag: "Members",
      summary: "Remove a member",
      description: "Removing the last owner is a `conflict`.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      responses: {
        200: { description: "It is gone", schema: Type.Object({ id: Uuid, deleted: Type.Literal(true) }) },
      },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        return {
          body: await removeMember(deps, {
            organizationId: params.organization_id,
            memberId: params.id,
            actor: caller.actor,
          }),
        };
      },
    }),
  ];
}

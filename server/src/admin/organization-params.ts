import { Type } from "typebox";
import { Uuid } from "../http/schema.ts";

/** The path parameters of what lies below an organization. */
export const OrganizationParams = Type.Object({ organization_id: Uuid });
export const OrganizationItemParams = Type.Object({ organization_id: Uuid, id: Uuid });

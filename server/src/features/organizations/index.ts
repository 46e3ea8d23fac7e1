export {
  type CreateOrganizationInput,
  createOrganization,
  type Organization,
} from "./create-organization.ts";
export { readOrganization } from "./read-organization.ts";

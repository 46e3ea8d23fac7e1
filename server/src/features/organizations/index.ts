export { type AppointmentHours, isAnyTime, isWithinHours } from "./appointment-hours.ts";
export { createOrganization } from "./create-organization.ts";
export {
  Organization,
  OrganizationCreate,
  OrganizationListQuery,
  OrganizationPage,
  OrganizationPatch,
} from "./organizations.schema.ts";
export { listOrganizations, readOrganization } from "./read-organization.ts";
export { readTimeZone } from "./time-zone.ts";
export { type UpdateOrganizationDeps, updateOrganization } from "./update-organization.ts";

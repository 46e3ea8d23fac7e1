export {
  ApiKey,
  ApiKeyCreate,
  ApiKeyListQuery,
  ApiKeyPage,
  ApiKeyRotate,
  IssuedApiKey,
} from "./api-keys.schema.ts";
export { createKey } from "./create-key.ts";
export { findKeyIn } from "./find-key.ts";
export { listKeys } from "./list-keys.ts";
export { type ChangeKeyDeps, revokeKey } from "./revoke-key.ts";
export { rotateKey } from "./rotate-key.ts";

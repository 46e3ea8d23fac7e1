export { type ApiKey, type CreateKeyInput, createKey } from "./create-key.ts";
export { findKeyIn } from "./find-key.ts";

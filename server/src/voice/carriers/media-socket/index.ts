export type { MediaSocketDialect, MediaSocketMessage } from "./media-socket-dialect.ts";
export { openMediaSocketLeg } from "./media-socket-leg.ts";
export { createMediaSockets, type MediaSockets } from "./media-sockets.ts";

import { Type } from "typebox";
import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { readByteRange } from "../../http/byte-range.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { findRecording, notAvailable } from "./read-recording.ts";
import type { RecordingStore } from "./recording-store.ts";

/** As text: a link with anything else in it isn't one of ours, and that is all there is to say of it. */
const LinkParams = Type.Object({ organization_id: Type.String(), call_id: Type.String() });
const LinkQuery = Type.Object({
  expires: Type.Optional(Type.String({ description: "Seconds since 1970" })),
  signature: Type.Optional(Type.String()),
});

/** A browser that opens the link itself shows a player. */
const PLAYER_POLICY =
  "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export function recordingsRoutes(deps: {
  database: Database;
  clock: Clock;
  recordings: RecordingStore;
}): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/recordings/:organization_id/:call_id.wav",
      operationId: "playRecording",
      tag: "Calls",
      summary: "Play a recording",
      description:
        "Where `GET /calls/{id}/recording` redirects to. The link is signed and good for 15 minutes, without an API key. " +
        "Answers `Range` requests for one range. The audio is a stereo WAV file, the agent left and the other side right.",
      access: "public",
      params: LinkParams,
      query: LinkQuery,
      responses: {
        200: { description: "The recording", mediaType: "audio/wav" },
        206: { description: "The part of it that `Range` asks for", mediaType: "audio/wav" },
      },
      errors: ["unauthenticated", "recording_not_available", "range_not_satisfiable"],
      async handle({ params, query, headers }) {
        const { key, size } = await findRecording(deps, {
          organizationId: params.organization_id,
          callId: params.call_id,
          expires: query.expires,
          signature: query.signature,
        });
        const etag = `"${params.call_id}-${size}"`;
        // A part is wanted only of the recording that the client has already: any other is sent as a whole.
        const wanted = (headers["if-range"] ?? etag) === etag ? headers.range : undefined;
        const range = readByteRange(typeof wanted === "string" ? wanted : undefined, size);
        if (range === "unsatisfiable")
          throw new DomainError("range_not_satisfiable", `The recording has ${size} bytes.`, { size });
        const { first, last } = range ?? { first: 0, last: size - 1 };
        const stream = await deps.recordings.read(key, { first, last });
        if (!stream) throw notAvailable();
        return {
          status: range ? 206 : 200,
          body: stream,
          contentType: "audio/wav",
          headers: {
            "accept-ranges": "bytes",
            "content-length": String(last - first + 1),
            ...(range ? { "content-range": `bytes ${first}-${last}/${size}` } : {}),
            "content-disposition": `inline; filename="call-${params.call_id}.wav"`,
            "content-security-policy": PLAYER_POLICY,
            "cache-control": "private, no-store",
            etag,
          },
        };
      },
    }),
  ];
}

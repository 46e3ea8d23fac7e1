import { type Static, Type } from "typebox";
import { oneOf, pageOf, pageQuery } from "../../http/schema.ts";

export const Voice = Type.Object(
  {
    id: Type.String({ description: "What a call template's `voice` takes" }),
    name: Type.String(),
    language: Type.String({ description: "BCP 47, for example `en-US`" }),
    gender: oneOf(["female", "male"]),
    description: Type.String(),
    preview_url: Type.String({
      format: "uri",
      description: "Where a sample of it is, for keys with `voices:read`",
    }),
  },
  { "x-name": "Voice" },
);
export type Voice = Static<typeof Voice>;
export const VoicePage = pageOf(Voice);

export const VoiceListQuery = Type.Object({ ...pageQuery });

/** A name, not a UUID. */
export const VoiceParams = Type.Object({ id: Type.String() });

/** A voice that an agent can have. The ids are the same whatever engine is configured; an engine maps them to its own. */
export interface CatalogVoice {
  /** Short, lower-case: what customers write in a template. Never renamed. */
  id: string;
  name: string;
  /** BCP 47 */
  language: string;
  gender: "female" | "male";
  description: string;
}

/** The first is the default. */
export const voiceCatalog = [
  {
    id: "clara",
    name: "Clara",
    language: "en-US",
    gender: "female",
    description: "Friendly and clear, at an even pace. Suits most calls.",
  },
  {
    id: "marcus",
    name: "Marcus",
    language: "en-US",
    gender: "male",
    description: "Warm and calm. Suits appointments and support.",
  },
  {
    id: "angus",
    name: "Angus",
    language: "en-GB",
    gender: "male",
    description: "Lively, with a Scottish accent.",
  },
  {
    id: "otto",
    name: "Otto",
    language: "en-US",
    gender: "male",
    description: "Plain and matter-of-fact, plainly a machine. Suits short announcements.",
  },
] as const satisfies readonly CatalogVoice[];

export type VoiceId = (typeof voiceCatalog)[number]["id"];

export const DEFAULT_VOICE: VoiceId = voiceCatalog[0].id;

const byId = new Map<string, CatalogVoice & { id: VoiceId }>(voiceCatalog.map((voice) => [voice.id, voice]));

/** @returns undefined when no voice has this id. Ids are compared exactly. */
export function findVoice(id: string): (CatalogVoice & { id: VoiceId }) | undefined {
  return byId.get(id);
}

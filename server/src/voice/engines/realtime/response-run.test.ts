import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../engine.ts";
import { createResponseRun } from "./response-run.ts";
import { createSpokenRecord } from "./spoken-record.ts";
import { createUtterances } from "./utterances.ts";

const types = [
  "response.created",
  "response.output_audio.delta",
  "response.output_audio.done",
  "response.audio.delta",
  "response.output_audio_transcript.delta",
  "response.output_audio_transcript.done",
  "response.output_item.done",
  "response.done",
  "error",
  "session.updated",
];
const names = [
  "response_id",
  "item_id",
  "delta",
  "transcript",
  "item",
  "response",
  "error",
  "output",
  "status",
  "id",
];
const id = fc.constantFrom("r1", "r2", "i1", "i2", "", "AAAA", "completed", "failed");
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    id,
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, "type", "call_id", "name", "arguments", "usage"), tie("any"), {
      maxKeys: 4,
    }),
  ),
})).any;
const message = fc
  .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }))
  .map(([type, fields]): Record<string, unknown> => ({ ...fields, type }));

describe("a response", () => {
  it("takes whatever a server sends: no throw, nothing of an utterance after its end, one outcome", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 40 }),
        fc.nat(40),
        fc.constantFrom("cancel", "interrupt", "none"),
        async (messages, at, what) => {
          const events: EngineEvent[] = [];
          const record = createSpokenRecord();
          const utterances = createUtterances((event) => void events.push(event), record);
          let count = 0;
          const run = createResponseRun({
            eventId: "mine",
            nameUtterance: () => `u${++count}`,
            utterances,
            record,
            emit: (event) => void events.push(event),
            onFirstAudio() {},
            onUsage() {},
            watch: () => () => undefined,
          });
          messages.forEach((given, index) => {
            if (index === at && what === "cancel") run.cancel();
            if (index === at && what === "interrupt") utterances.interrupted("u1", 100);
            run.handle(given);
          });
          run.lose();
          expect(["done", "lost", "refused"]).toContain((await run.outcome).type);
          const ended = new Set<string>();
          for (const event of events) {
            if (event.type === "audio") expect(ended.has(event.utteranceId)).toBe(false);
            if (event.type === "spoken") {
              expect(ended.has(event.utteranceId)).toBe(false);
              ended.add(event.utteranceId);
            }
          }
          for (const event of events)
            if (event.type === "audio") expect(ended.has(event.utteranceId)).toBe(true);
          expect(() => JSON.stringify(record.replay("current"))).not.toThrow();
        },
      ),
      { numRuns: 300 },
    );
  });
});

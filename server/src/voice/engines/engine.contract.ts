import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRAME_SAMPLES } from "../media/media-leg.ts";
import type { Conversation, EngineEvent, EngineSession, VoiceEngine } from "./engine.ts";
import { toolDefinitions } from "./tool-definitions.ts";

/** What a test knows about the engine that it looks at. */
export interface EngineUnderTest {
  engine: VoiceEngine;
  /** Makes the engine call `tool` in a conversation that has begun: by words it understands, or by its model's script. */
  provokeTool(session: EngineSession, tool: "record_opt_out"): void;
  /** Makes the engine answer something, however short. */
  provokeAnswer(session: EngineSession): void;
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;

/** Every engine passes it. */
export function engineContract(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(`${name} as an engine`, () => {
    let subject: EngineUnderTest;
    let sessions: EngineSession[] = [];
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => {
      for (const session of sessions) session.close();
      sessions = [];
      await subject.close();
    });

    const start = async (given: Partial<Conversation> = {}) => {
      const events: EngineEvent[] = [];
      const session = await subject.engine.start({
        callId: "call",
        instructions: "You are a friendly assistant.",
        greeting: "Hello, this is the contract.",
        firstSpeaker: "agent",
        voice: "clara",
        temperature: 0.7,
        tools: Object.values(toolDefinitions),
        context: {},
        emit: (event) => void events.push(event),
        ...given,
      });
      sessions.push(session);
      const of = <Type extends EngineEvent["type"]>(type: Type) =>
        events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type);
      return { session, events, of };
    };
    /** Hears silence until it is so. */
    const hearUntil = async (session: EngineSession, condition: () => boolean) => {
      const silence = new Int16Array(FRAME_SAMPLES);
      const deadline = performance.now() + PATIENCE_MS;
      while (!condition()) {
        if (performance.now() > deadline) throw new Error("the engine didn't do it");
        session.hear(silence);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    };

    it("is silent until it begins, then greets: words, audio, end", async () => {
      const { session, events, of } = await start();
      session.hear(new Int16Array(FRAME_SAMPLES));
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect(events).toEqual([]);
      session.begin();
      await hearUntil(session, () => of("spoken").length > 0 && of("text").length > 0);
      const id = of("audio")[0]!.utteranceId;
      expect(of("text")[0]).toMatchObject({ utteranceId: id, text: "Hello, this is the contract." });
      expect(of("spoken")[0]!.utteranceId).toBe(id);
      for (const { samples } of of("audio")) {
        expect(samples).toBeInstanceOf(Int16Array);
        expect(samples.length).toBeGreaterThan(0);
      }
      // Nothing of an utterance comes after its end.
      const end = events.findIndex((event) => event.type === "spoken");
      expect(events.slice(end).some((event) => event.type === "audio" && event.utteranceId === id)).toBe(
        false,
      );
      expect(of("failed")).toEqual([]);
    });

    it("finds its own words where the greeting is empty, and leaves the first word to a user who speaks first", async () => {
      const own = await start({ greeting: "" });
      own.session.begin();
      await hearUntil(own.session, () => own.of("spoken").length > 0 && own.of("text").length > 0);
      expect(own.of("text")[0]!.text).not.toBe("");
      const waits = await start({ firstSpeaker: "user" });
      waits.session.begin();
      for (let frame = 0; frame < 50; frame++) waits.session.hear(new Int16Array(FRAME_SAMPLES));
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect(waits.of("audio")).toEqual([]);
      subject.provokeAnswer(waits.session);
      await hearUntil(waits.session, () => waits.of("spoken").length > 0);
    });

    it("goes on after it was interrupted", async () => {
      const { session, of } = await start();
      session.begin();
      await hearUntil(session, () => of("audio").length > 0);
      session.interrupted(of("audio")[0]!.utteranceId, 200);
      session.speechStarted();
      const before = new Set(of("audio").map(({ utteranceId }) => utteranceId));
      subject.provokeAnswer(session);
      await hearUntil(session, () => of("audio").some(({ utteranceId }) => !before.has(utteranceId)));
      expect(of("failed")).toEqual([]);
    });

    it("says a sentence of the session's", async () => {
      const { session, of } = await start();
      session.begin();
      await hearUntil(session, () => of("spoken").length > 0);
      session.played(of("spoken")[0]!.utteranceId);
      session.say("We are about to end.", "last-words");
      const isOf = ({ utteranceId }: { utteranceId: string }) => utteranceId === "last-words";
      await hearUntil(session, () => of("spoken").some(isOf) && of("text").some(isOf));
      expect(of("audio").some(isOf)).toBe(true);
      expect(of("text").find(isOf)!.text).not.toBe("");
    });

    it("calls a tool with an id of its own and arguments that fit, and takes the result", async () => {
      const { session, of } = await start();
      session.begin();
      await hearUntil(session, () => of("spoken").length > 0);
      session.played(of("spoken")[0]!.utteranceId);
      subject.provokeTool(session, "record_opt_out");
      await hearUntil(session, () => of("tool_call").length > 0);
      const [call] = of("tool_call");
      expect(call).toMatchObject({ name: "record_opt_out", arguments: { evidence: expect.any(String) } });
      session.toolResult(call!.id, { ok: false, error: "not now" });
      session.toolResult("unknown", { ok: true, result: {} });
      session.say("Something else.", "else");
      await hearUntil(session, () => of("spoken").length > 1);
      expect(of("failed")).toEqual([]);
    });

    it("says and does nothing more once it is closed, whenever that is, and never throws", async () => {
      const everything = (session: EngineSession) => {
        session.begin();
        session.hear(new Int16Array(FRAME_SAMPLES));
        session.speechStarted();
        session.speechEnded(900);
        session.said("stop calling me");
        session.keyed("9");
        session.interrupted("unknown", 20);
        session.played("unknown");
        session.toolResult("unknown", { ok: false, error: "x" });
        session.say("Good evening.", "evening");
        session.close();
      };
      for (const when of ["before it begins", "while it speaks", "while a tool runs"] as const) {
        const { session, events, of } = await start();
        if (when !== "before it begins") {
          session.begin();
          await hearUntil(session, () => of("audio").length > 0);
        }
        if (when === "while a tool runs") {
          subject.provokeTool(session, "record_opt_out");
          await hearUntil(session, () => of("tool_call").length > 0);
        }
        session.close();
        const before = events.length;
        everything(session);
        for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
        expect(events.length, when).toBe(before);
      }
      const { session } = await start();
      expect(() => everything(session)).not.toThrow();
    });
  });
}

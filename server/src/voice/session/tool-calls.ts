import type { DomainTool, ToolResult } from "../engines/engine.ts";
import type { CallContext } from "./call-context.ts";
import type { ToolGate } from "./tool-gate.ts";

export interface ToolCallsOptions {
  context: CallContext;
  gate: ToolGate;
  /** Source of the turns: who decided to call the tool. */
  source: "model" | "script";
  /** Why this tool can't run right now, or null. */
  refusal(name: string): string | null;
  /** Tells the engine. */
  answer(toolCallId: string, result: ToolResult): void;
  endCall(): void;
  /** The engine is answered when it is known how the transfer went. */
  transfer(toolCallId: string): void;
  optedOut(): void;
  /** The wish couldn't be stored. */
  optOutFailed(): void;
}

export interface ToolCalls {
  called(id: string, name: string, args: unknown): void;
  /** Notes in the transcript what became of a tool. */
  note(name: string, text: string): void;
  /** Some are still running. */
  areRunning(): boolean;
}

/** No conversation needs more; an engine that loops is stopped. */
const MOST_CALLS = 100;
const MOST_CHARACTERS = 1_000;

/** Runs the tools that the engine calls: what was granted, with arguments that fit, each call once. */
export function createToolCalls(options: ToolCallsOptions): ToolCalls {
  const { context, gate, answer } = options;
  const seen = new Set<string>();
  let running = 0;

  const note = (name: string, text: string) => {
    const at = Math.round(context.now());
    const line = `${name.slice(0, 64)}: ${text}`.slice(0, MOST_CHARACTERS);
    context.turn({ role: "tool", source: options.source, text: line, startMs: at, endMs: at });
  };
  const refuse = (id: string, name: string, error: string) => {
    note(name, `refused. ${error}`);
    answer(id, { ok: false, error });
  };

  const runPort = async (id: string, name: DomainTool, args: unknown) => {
    running++;
    let result: ToolResult;
    try {
      result = await context.queue.run(() => context.ports.runTool(name, args));
    } catch (error) {
      context.logger.error({ err: error, tool: name }, "a tool failed");
      result = { ok: false, error: "It couldn't be done just now." };
    }
    running--;
    if (result.ok && name === "book_appointment") context.achieved.booked = true;
    if (result.ok && name === "record_opt_out") context.achieved.optedOut = true;
    if (context.isOver()) return;
    note(name, `${JSON.stringify(args)} → ${result.ok ? JSON.stringify(result.result) : result.error}`);
    answer(id, result);
    if (name === "record_opt_out") (result.ok ? options.optedOut : options.optOutFailed)();
  };

  return {
    called(id, name, args) {
      if (seen.has(id)) return;
      seen.add(id);
      const refusal = seen.size > MOST_CALLS ? "Too many tools were called." : options.refusal(name);
      if (refusal !== null) return refuse(id, name, refusal);
      const call = gate(name, args);
      if (!call.admitted) return refuse(id, name, call.error);
      if (call.name === "end_call") {
        note(name, "the call ends.");
        answer(id, { ok: true, result: {} });
        options.endCall();
      } else if (call.name === "transfer_to_human") {
        options.transfer(id);
      } else {
        void runPort(id, call.name, call.arguments);
      }
    },
    note,
    areRunning: () => running > 0,
  };
}

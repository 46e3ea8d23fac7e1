import type { CallContext } from "./call-context.ts";
import type { SpeechDetector } from "./detectors.ts";
import { createHeardTurns, type HeardTurns } from "./heard-turns.ts";
import type { TransferTarget } from "./ports.ts";
import { startTransfer, type Transfer } from "./transfer.ts";

/** A call's transfers to a human, one at a time: asks where to, stores how each went. */
export interface Transferring {
  start(toolCallId: string): void;
  /** To be called every 20 ms with what the caller says. @returns what a joined human says, or null */
  tick(samples: Int16Array): Int16Array | null;
  /** A human is being called, or has joined. */
  isUnderWay(): boolean;
  end(): void;
}

export interface TransferringOptions {
  context: CallContext;
  ringTimeoutMs: number;
  onDialing(): void;
  onJoined(): void;
  onFailed(toolCallId: string, error: string): void;
}

/** Nobody reads the colleague's speech. */
const WORDS_WITHIN_MS = 1_000;

export function createTransferring(options: TransferringOptions): Transferring {
  const { context, onDialing, onJoined, onFailed } = options;
  const { ports, queue, logger, setup } = context;
  let asking = false;
  let transfer: Transfer | null = null;
  let colleague: { turns: HeardTurns; detector: SpeechDetector } | null = null;

  const store = (target: TransferTarget, outcome: "success" | "failed") => {
    queue
      .run(() => ports.endTransfer(target.transferId, outcome))
      .catch((error: unknown) => {
        logger.error({ err: error }, "the end of a transfer couldn't be stored");
      });
  };
  const joined = () => {
    context.achieved.transferred = true;
    colleague = {
      turns: createHeardTurns({
        role: "agent",
        wordsWithinMs: WORDS_WITHIN_MS,
        now: context.now,
        onTurn: context.turn,
      }),
      detector: context.createSpeechDetector(),
    };
    onJoined();
  };

  const dial = (toolCallId: string, target: TransferTarget) => {
    transfer = startTransfer({
      organizationId: setup.organizationId,
      target,
      ringTimeoutMs: options.ringTimeoutMs,
      briefing: context.synthesize(setup.briefing),
      settled(outcome, reason) {
        store(target, outcome);
        if (context.isOver()) return;
        if (outcome === "success") return joined();
        transfer = null;
        onFailed(toolCallId, reason);
      },
      onLeft: (reason) => context.finish({ status: "completed", outcome: null, reason }),
      onSaid: (text) => colleague?.turns.words(text, "simulated"),
    });
    onDialing();
  };

  return {
    start(toolCallId) {
      asking = true;
      // Within one turn of the queue: nothing may come between the attempt that is stored and its end.
      const ask = async () => {
        const target = await ports.beginTransfer();
        asking = false;
        if (!target) return onFailed(toolCallId, "There is nobody to transfer to.");
        if (context.isOver()) await ports.endTransfer(target.transferId, "failed");
        else dial(toolCallId, target);
      };
      queue.run(ask).catch((error: unknown) => {
        logger.error({ err: error }, "a transfer couldn't be begun");
        asking = false;
        if (!context.isOver() && !transfer) onFailed(toolCallId, "The transfer couldn't be begun.");
      });
    },
    tick(samples) {
      const said = transfer?.tick(samples) ?? null;
      if (said && colleague) {
        const activity = colleague.detector.push(said);
        if (activity) colleague.turns.activity(activity);
        colleague.turns.tick();
      }
      return said;
    },
    isUnderWay: () => asking || transfer !== null,
    end() {
      transfer?.end();
      colleague?.turns.finish();
      colleague?.detector.close();
      colleague = null;
    },
  };
}

import type { Clock } from "../../clock.ts";
import type { CallContext } from "./call-context.ts";
import { sentences } from "./sentences.ts";
import type { Talk } from "./talk.ts";

/** A person who answered a call that needs a seat: they talk, or are told that nobody is free. */
export interface Seating {
  /** Nobody was free: the call is an abandoned one however it ends. */
  readonly abandoned: boolean;
  keyed(digit: string): void;
  /** The call is over. */
  end(): void;
}

export interface SeatingOptions {
  context: CallContext;
  clock: Clock;
  talk: Talk;
  /** What somebody who finds no seat hears. */
  message: string;
}

/** A person hears somebody within 2 s: what isn't known of the seats by then costs nobody their conversation. */
const KNOWN_WITHIN_MS = 1_000;
const MESSAGE_WITHIN_MS = 45_000;
/** What the message offers to key. */
const OPT_OUT_DIGIT = "9";

/** Takes a seat for the person who answered, and begins the talk; where none is free, says the message and ends the call. */
export function takeSeat({ context, clock, talk, message }: SeatingOptions): Seating {
  const { ports, queue, logger, achieved } = context;
  let phase: "asking" | "seated" | "abandoned" = "asking";
  let optOut: "unasked" | "asked" = "unasked";

  const seat = () => {
    if (phase !== "asking" || context.isOver()) return;
    phase = "seated";
    talk.begin();
  };
  const abandon = () => {
    if (phase !== "asking" || context.isOver()) return;
    phase = "abandoned";
    talk.wrapUp({
      sentence: message,
      withinMs: MESSAGE_WITHIN_MS,
      interrupt: false,
      ending: {
        status: "completed",
        outcome: "abandoned",
        reason: "A person answered, and no seat was free.",
      },
    });
    // The engine isn't needed, and what it would make of the person's words is nobody's business.
    talk.end();
  };
  const cancel = clock.schedule(clock.now() + KNOWN_WITHIN_MS, () => {
    if (phase !== "asking") return;
    logger.warn({}, "it took too long to learn whether a seat is free: the person is talked to");
    seat();
  });
  queue
    .run(() => ports.takeSeat())
    .then((taken) => (taken ? seat() : abandon()))
    .catch((error: unknown) => {
      logger.error({ err: error }, "whether a seat is free couldn't be learned: the person is talked to");
      seat();
    })
    .finally(cancel);

  const recordOptOut = async () => {
    const result = await queue.run(() =>
      ports.runTool("record_opt_out", { evidence: `keyed ${OPT_OUT_DIGIT}` }),
    );
    if (!result.ok) return;
    achieved.optedOut = true;
    const samples = await context.synthesize(sentences.optOutConfirmed);
    if (!context.isOver()) context.speaker.own(sentences.optOutConfirmed, samples);
  };

  return {
    get abandoned() {
      return phase === "abandoned";
    },
    keyed(digit) {
      if (phase !== "abandoned" || digit !== OPT_OUT_DIGIT || optOut === "asked") return;
      optOut = "asked";
      recordOptOut().catch((error: unknown) => {
        optOut = "unasked";
        logger.error({ err: error }, "a keyed opt-out couldn't be stored");
      });
    },
    end: cancel,
  };
}

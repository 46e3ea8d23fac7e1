/** The plain facts that a summary is made of. */
export interface CallFacts {
  medium: "phone" | "browser";
  /** Null when nobody's name is known. */
  person: string | null;
  status: string;
  outcome: string;
  answeredBy: string | null;
  /** Null when it was never answered. */
  seconds: number | null;
  agentTurns: number;
  userTurns: number;
}

const endings: Readonly<Record<string, string>> = {
  completed: "It ended normally.",
  appointment_set: "An appointment was booked.",
  do_not_call: "The person asked not to be called again, and the number is on the do-not-call list.",
  transferred: "The person was connected with a human.",
  voicemail: "An answering machine took it.",
  no_answer: "Nobody answered.",
  abandoned: "Nobody was free to talk: they were told so, and it ended.",
  busy: "The line was busy.",
  declined: "It was declined.",
  canceled: "It was canceled before it was answered.",
  congestion: "The network was full.",
  blocked: "The carrier blocked it.",
  invalid_number: "The number doesn't exist.",
  not_connected: "The browser never connected.",
  failed: "It failed.",
};

/** Who, how long, and how it ended, in plain words. Names no phone number: summaries travel in events. */
export function summariseCall(facts: CallFacts): string {
  const kind = facts.medium === "phone" ? "Phone call" : "Browser call";
  const whom = facts.person === null ? "" : ` with ${facts.person}`;
  const ending = endings[facts.outcome] ?? `Outcome: ${facts.outcome}.`;
  if (facts.seconds === null) return `${kind}${whom}, not answered. ${ending}`;
  const turns = `the agent spoke ${times(facts.agentTurns)}, the other side ${times(facts.userTurns)}`;
  return `${kind}${whom}, ${lasting(facts.seconds)}; ${turns}. ${ending}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function lasting(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  const parts = [
    minutes > 0 ? `${minutes} ${minutes === 1 ? "minute" : "minutes"}` : "",
    rest > 0 || minutes === 0 ? `${rest} ${rest === 1 ? "second" : "seconds"}` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

import type { ToolName } from "../engine.ts";

/** What the scripted agent says, beside the greeting of its template. */
export const lines = {
  greeting: "Hello, this is an automated assistant. Do you have a moment?",
  goodbye: "Thank you for your time. Goodbye.",
  nobodyToTransferTo: "I'm sorry, there is no colleague I could connect you with on this line.",
  noBooking: "I'm sorry, I can't book appointments on this line. Is there anything else?",
  askTime: "Good. And at what time would that be?",
  askDay: "Good. And on which day would that be?",
  notBooked: "I'm sorry, that time can't be booked. Which other day and time would suit you?",
  askCallbackTime: "Of course. At what time may I call you back?",
  callbackNoted: "All right, I have noted that, and you will be called again then. Goodbye.",
  callbackRefused: "I'm sorry, I can't note that time. Which other day and time would suit you?",
  nudges: ["Hello, are you still there?", "I can't hear you. If you are there, please say something."],
  silence: "I can't hear you, so I'm ending the call here. Goodbye.",
  tooLong: "I have taken enough of your time for today. Thank you, and goodbye.",
  cantUnderstandLast:
    "I'm afraid I can't help you any further on this line. Thank you for your time. Goodbye.",
} as const;

/** @param day as `book_appointment` takes it */
export function booked(day: string, time: string): string {
  const when = /^\d/.test(day)
    ? `on ${day}`
    : day === "today" || day === "tomorrow"
      ? day
      : `on ${capitalized(day)}`;
  return `Thank you. That is booked ${when} at ${spokenTime(time)}. Is there anything else?`;
}

/** @param alternatives on the person's own clock, as `book_appointment` takes them */
export function offered(alternatives: readonly { day: string; time: string }[]): string {
  const times = alternatives.map(({ day, time }) => `${spokenDay(day)} at ${spokenTime(time)}`);
  const last = times.at(-1);
  const all = times.length > 1 ? `${times.slice(0, -1).join(", ")}, or ${last}` : last;
  return `I'm sorry, that time can't be booked. I could offer ${all}. Which day and time would suit you?`;
}

/** Honest about speech that nobody reads on this line. */
export function cantUnderstand(times: number, tools: ReadonlySet<ToolName>): string {
  const keys = tools.has("transfer_to_human")
    ? "Please press nine if you don't want to be called again, or zero to talk to a colleague."
    : "Please press nine if you don't want to be called again.";
  return times <= 1
    ? `I heard you, but I can't understand speech on this line yet. ${keys}`
    : `I'm sorry, I still can't make out words on this line. ${keys}`;
}

/** One short line that asks for one thing; another one each time. */
export function acknowledge(count: number, tools: ReadonlySet<ToolName>): string {
  const asks = [
    ...(tools.has("book_appointment")
      ? ["Thank you. Which day and time would suit you for an appointment?"]
      : []),
    "I see. Is there anything you would like us to know?",
    ...(tools.has("transfer_to_human") ? ["All right. Would you like to talk to a colleague?"] : []),
    "Thank you, I have noted that. Is there anything else?",
  ];
  return asks[count % asks.length] ?? lines.goodbye;
}

/** @param day a date */
function spokenDay(day: string): string {
  const date = Date.parse(`${day}T00:00:00Z`);
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: "UTC",
    weekday: "long",
    month: "long",
    day: "numeric",
  });
  return format.format(date);
}

function spokenTime(time: string): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const half = hour < 12 ? "A M" : "P M";
  return `${hour % 12 || 12}${minute ? `:${String(minute).padStart(2, "0")}` : ""} ${half}`;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

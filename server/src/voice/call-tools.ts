import type { ToolDefinition, ToolName } from "./engines/engine.ts";

/** The arguments of `book_appointment`: a time on the clock of the person who is called. */
export interface BookAppointmentArguments {
  /** `today`, `tomorrow` or YYYY-MM-DD, as the person's calendar has it. */
  day: string;
  /** HH:MM, 24 hours. */
  time: string;
  duration_minutes?: number;
  notes?: string;
}

export interface RecordOptOutArguments {
  /** The person's own words, or the digit keyed. */
  evidence: string;
}

const text = (description: string, maxLength: number) => ({ type: "string", description, maxLength });

/** Every tool that a template can grant. The session checks arguments against these before anything runs. */
export const callTools: Readonly<Record<ToolName, ToolDefinition>> = {
  end_call: {
    name: "end_call",
    description: "Ends the call once everything said has been played.",
    parameters: {
      type: "object",
      properties: { reason: text("Why, in a few words", 500) },
      additionalProperties: false,
    },
  },
  transfer_to_human: {
    name: "transfer_to_human",
    description: "Brings a human colleague into the call, when the person asks for one.",
    parameters: {
      type: "object",
      properties: { reason: text("What the person wants of them, in one sentence", 500) },
      additionalProperties: false,
    },
  },
  book_appointment: {
    name: "book_appointment",
    description: "Books an appointment that the person has agreed to, at a time on the person's own clock.",
    parameters: {
      type: "object",
      properties: {
        day: {
          type: "string",
          description: "`today`, `tomorrow`, or a date as YYYY-MM-DD",
          pattern: "^(today|tomorrow|\\d{4}-\\d{2}-\\d{2})$",
        },
        time: {
          type: "string",
          description: "HH:MM, 24 hours",
          pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
        },
        duration_minutes: { type: "integer", minimum: 5, maximum: 480 },
        notes: text("What it is about", 2000),
      },
      required: ["day", "time"],
      additionalProperties: false,
    },
  },
  record_opt_out: {
    name: "record_opt_out",
    description: "Puts the person on the do-not-call list, when they ask not to be called again.",
    parameters: {
      type: "object",
      properties: { evidence: text("The person's own words", 500) },
      required: ["evidence"],
      additionalProperties: false,
    },
  },
};

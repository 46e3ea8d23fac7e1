import type { ToolDefinition, ToolName } from "./engine.ts";

/** Arguments of `book_appointment`: a day and a time on the person's own wall clock. */
export interface BookAppointmentArguments {
  /** `today`, `tomorrow`, a weekday (`monday`: the next one, never today), or a date `2026-11-22`. */
  day: string;
  /** `10:00`, 24 hours. */
  time: string;
  /** IANA. Left out: the person's own. */
  timezone?: string;
  /** Left out: 30. */
  duration_minutes?: number;
  notes?: string;
}

/** Arguments of `schedule_callback`. */
export interface ScheduleCallbackArguments {
  /** `PT20M`, `tomorrow 15:00`, `2026-11-22T15:00` on the person's own clock, or with an offset. */
  callback_at: string;
}

/** Arguments of `record_opt_out`. */
export interface OptOutArguments {
  /** What the person said or keyed, as near to their words as is known. Kept as evidence. */
  evidence: string;
}

/**
 * The tools with the JSON Schemas of their arguments. Plain objects without `anyOf` at the top: vendors' function
 * calling takes no more.
 */
export const toolDefinitions: Readonly<Record<ToolName, ToolDefinition>> = {
  end_call: {
    name: "end_call",
    description: "Ends the call once everything said so far has been played. Say goodbye first.",
    parameters: {
      type: "object",
      properties: { reason: { type: "string", maxLength: 200, description: "Why, in a few words." } },
      additionalProperties: false,
    },
  },
  transfer_to_human: {
    name: "transfer_to_human",
    description: "Connects the person with a human colleague. Use it when they ask for one.",
    parameters: {
      type: "object",
      properties: {
        reason: { type: "string", maxLength: 500, description: "What the person wants, in one sentence." },
      },
      additionalProperties: false,
    },
  },
  book_appointment: {
    name: "book_appointment",
    description:
      "Books an appointment that the person has agreed to, at a time they have named or confirmed.",
    parameters: {
      type: "object",
      properties: {
        day: {
          type: "string",
          pattern:
            "^(today|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))$",
          description: "today, tomorrow, the name of the next such weekday, or a date like 2026-11-22.",
        },
        time: {
          type: "string",
          pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
          description: "24-hour wall clock time where the person is, like 10:00.",
        },
        timezone: {
          type: "string",
          minLength: 1,
          maxLength: 64,
          description: "IANA time zone, only when the person named another than their own.",
        },
        duration_minutes: { type: "integer", minimum: 5, maximum: 480 },
        notes: { type: "string", maxLength: 2_000 },
      },
      required: ["day", "time"],
      additionalProperties: false,
    },
  },
  schedule_callback: {
    name: "schedule_callback",
    description:
      "Notes when the person wants to be called again, at a time they have named. Not for a wish without a time: ask for one.",
    parameters: {
      type: "object",
      properties: {
        callback_at: {
          type: "string",
          minLength: 1,
          maxLength: 64,
          description:
            "After a while, like PT20M or PT2H; or a time where the person is, like tomorrow 15:00, friday 09:30 or 2026-11-22T15:00. At most 30 days ahead.",
        },
      },
      required: ["callback_at"],
      additionalProperties: false,
    },
  },
  record_opt_out: {
    name: "record_opt_out",
    description:
      "Records that the person doesn't want to be called again, in whatever words or language. The call ends after it.",
    parameters: {
      type: "object",
      properties: {
        evidence: { type: "string", minLength: 1, maxLength: 1_000, description: "The person's own words." },
      },
      required: ["evidence"],
      additionalProperties: false,
    },
  },
};

/**
 * The public event catalog: the 14 types in the specification's order. `reserved` types are never emitted.
 * `data_fields` are all fields that a type's `data` can have.
 */
export const eventCatalog = [
  {
    type: "lead.created",
    status: "active",
    description: "A lead was inserted by POST /leads or by a row of a bulk import.",
    data_fields: ["lead_id", "deduped", "source", "job_id"],
  },
  {
    type: "lead.updated",
    status: "active",
    description:
      "An existing lead was changed: by a deduplicated POST /leads, a row of a bulk import, or a PATCH without status.",
    data_fields: ["lead_id", "deduped", "source", "job_id", "changes"],
  },
  {
    type: "lead.disposition_changed",
    status: "active",
    description: "PATCH /leads/{id} set the status. Dispositions by the dialer or by reps do not emit it.",
    data_fields: ["lead_id", "changes", "source"],
  },
  {
    type: "call.started",
    status: "active",
    description: "A call was started through this API. Campaign and receptionist calls do not emit it.",
    data_fields: ["call_id", "direction", "agent_id", "lead_id", "from_number", "to_number"],
  },
  {
    type: "call.completed",
    status: "active",
    description:
      "A browser call started through this API ended normally. Phone and campaign calls do not emit it.",
    data_fields: ["call_id", "direction", "status", "duration_seconds", "agent_id", "lead_id"],
  },
  {
    type: "call.transcript_ready",
    status: "active",
    description: "The transcript or summary of an AI call finished processing, campaign calls included.",
    data_fields: [
      "call_id",
      "call_sid",
      "campaign_id",
      "lead_id",
      "duration_seconds",
      "summary",
      "has_transcript",
    ],
  },
  {
    type: "call.transferred",
    status: "active",
    description: "A warm transfer to a human succeeded.",
    data_fields: ["transfer_id", "mode", "outcome"],
  },
  {
    type: "call.ended",
    status: "reserved",
    description: "Reserved: a call ended for any reason. Never emitted.",
    data_fields: [],
  },
  {
    type: "appointment.booked",
    status: "active",
    description: "An appointment was booked by an AI agent or a person.",
    data_fields: ["appointment_id", "lead_id", "appointment_datetime", "source"],
  },
  {
    type: "appointment.rescheduled",
    status: "active",
    description: "The time of an appointment changed.",
    data_fields: ["appointment_id", "previous_datetime", "appointment_datetime", "changes"],
  },
  {
    type: "appointment.cancelled",
    status: "active",
    description: "An appointment was cancelled in the app or via POST /appointments/{id}/cancel.",
    data_fields: ["appointment_id", "reason", "source"],
  },
  {
    type: "deal.status_changed",
    status: "active",
    description: "PATCH /deals/{id} changed status or stage. Cannot fire while deals are unavailable.",
    data_fields: ["deal_id", "status", "stage"],
  },
  {
    type: "billing.low_balance",
    status: "active",
    description: "The balance crossed the low-balance threshold.",
    data_fields: ["current_balance", "threshold", "estimated_calls_remaining"],
  },
  {
    type: "ai_engineer.onboarding_completed",
    status: "reserved",
    description: "Reserved. Never emitted.",
    data_fields: [],
  },
] as const;

export type EventType = (typeof eventCatalog)[number]["type"];

/** Sent to one subscription on demand, to try it. Not in the public catalog. */
export const TEST_EVENT = "webhook.test";

/** The `data` of each type that this release emits. */
export interface EventData {
  "lead.created": { lead_id: string; deduped: false; source: "public_api" } | ImportedLead;
  "lead.updated":
    | { lead_id: string; deduped: true; source: "public_api" }
    | ImportedLead
    | { lead_id: string; changes: string[]; source: "public_api" };
  "lead.disposition_changed": { lead_id: string; changes: string[]; source: "public_api" };
  "call.started": {
    call_id: string;
    direction: "web" | "phone";
    agent_id: string | null;
    lead_id: string | null;
    from_number: string | null;
    to_number: string | null;
  };
  "call.completed": {
    call_id: string;
    direction: "web";
    status: "completed";
    duration_seconds: number;
    agent_id: string | null;
    lead_id: string | null;
  };
  "call.transcript_ready": {
    call_id: string;
    call_sid: string | null;
    campaign_id: string | null;
    lead_id: string | null;
    duration_seconds: number;
    summary: string | null;
    has_transcript: boolean;
  };
  "call.transferred": { transfer_id: string; mode: "warm"; outcome: "success" };
  "appointment.booked": {
    appointment_id: string;
    lead_id: string | null;
    appointment_datetime: string;
    source: "ai_agent" | "app" | "public_api";
  };
  "appointment.rescheduled": {
    appointment_id: string;
    previous_datetime: string;
    appointment_datetime: string;
    changes: string[];
  };
  "appointment.cancelled": { appointment_id: string; reason: string | null; source?: "public_api" };
  "billing.low_balance": { current_balance: number; threshold: number; estimated_calls_remaining: number };
}

interface ImportedLead {
  lead_id: string;
  source: "csv_import";
  job_id: string;
}

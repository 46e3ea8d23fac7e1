import { DomainError } from "../../domain-error.ts";
import type { Appointment } from "./appointments.schema.ts";

/** The states of an appointment and what each may become. */
const transitions: Readonly<Record<Appointment["status"], readonly Appointment["status"][]>> = {
  scheduled: ["cancelled", "completed", "no_show"],
  cancelled: [],
  completed: [],
  no_show: [],
};

/** @throws DomainError conflict where the state doesn't allow it */
export function refuseMove(from: Appointment["status"], to: Appointment["status"]): void {
  if (!transitions[from].includes(to))
    throw new DomainError("conflict", `The appointment is ${from}: it can't become ${to}.`);
}

import { type CallStatus, canMove } from "../call-states.ts";

export interface CallStatusMachine {
  current(): CallStatus;
  /** Moves the call there. @returns false, and nothing moves, where the data has no such transition */
  move(to: CallStatus): boolean;
}

/** The only thing that moves a call. @param onMove called after each move */
export function createCallStatus(onMove: (to: CallStatus) => void): CallStatusMachine {
  let status: CallStatus = "initiating";
  return {
    current: () => status,
    move(to) {
      if (!canMove(status, to)) return false;
      status = to;
      onMove(to);
      return true;
    },
  };
}

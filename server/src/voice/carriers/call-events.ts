import type { CarrierEvent } from "./carrier.ts";

/** A call's events: kept until somebody listens, none after the end. */
export interface CallEvents {
  tell(event: CarrierEvent): void;
  onEvent(listener: (event: CarrierEvent) => void): void;
  isOver(): boolean;
}

export function createCallEvents(): CallEvents {
  const waiting: CarrierEvent[] = [];
  let listener: ((event: CarrierEvent) => void) | undefined;
  let over = false;
  return {
    tell(event) {
      if (over) return;
      over = event.type === "ended";
      if (listener) listener(event);
      else waiting.push(event);
    },
    onEvent(given) {
      listener = given;
      for (const event of waiting.splice(0)) given(event);
    },
    isOver: () => over,
  };
}

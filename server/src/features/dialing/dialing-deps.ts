import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import type { CallQuestion, Verdict } from "../compliance/index.ts";
import type { DialingMetrics } from "./dialing-metrics.ts";

/** What the verbs of dialing are made with, wherever they run. */
export interface DialingDeps {
  clock: Clock;
  newId: NewId;
  dialingMetrics: DialingMetrics;
  /** Called after a commit that may let a campaign dial, or complete: wakes the dialers. */
  campaignsChanged(): void;
}

/** What claims are made with. */
export interface ClaimDeps extends DialingDeps {
  database: Database;
  decideCall(question: CallQuestion): Verdict;
}

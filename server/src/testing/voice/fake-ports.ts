import type { ToolResult } from "../../voice/engines/engine.ts";
import type { CallEnd, CallPorts, RecordingSink, TransferTarget } from "../../voice/session/ports.ts";
import type { TranscriptTurn } from "../../voice/transcript.ts";

export interface FakePorts extends CallPorts {
  /** What was stored, in order, by name of the port. */
  readonly log: string[];
  readonly turns: TranscriptTurn[];
  readonly ends: CallEnd[];
  readonly tools: { name: string; args: unknown }[];
  readonly transfers: { transferId: string; outcome: string }[];
  readonly recording: { frames: number; agent: number[]; other: number[]; finished: boolean };
  /** The current state of what may be asked for. */
  readonly answers: {
    extendHold: boolean;
    target: TransferTarget | null;
    tool: ToolResult;
    records: boolean;
    seat: boolean | Promise<boolean>;
  };
  /** Makes ports reject. */
  rejectOn(...ports: (keyof CallPorts)[]): void;
}

/** Ports that remember: no database, no money. */
export function fakePorts(): FakePorts {
  const rejecting = new Set<keyof CallPorts>();
  const log: string[] = [];
  const turns: TranscriptTurn[] = [];
  const ends: CallEnd[] = [];
  const tools: { name: string; args: unknown }[] = [];
  const transfers: { transferId: string; outcome: string }[] = [];
  const recording = { frames: 0, agent: [] as number[], other: [] as number[], finished: false };
  const answers: FakePorts["answers"] = {
    extendHold: true,
    target: null,
    tool: { ok: true, result: {} },
    records: true,
    seat: true,
  };
  const note = async (port: keyof CallPorts, entry: string) => {
    log.push(entry);
    if (rejecting.has(port)) throw new Error(`${port} rejects`);
  };
  const loudest = (samples: Int16Array) =>
    samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const sink: RecordingSink = {
    write(agent, other) {
      recording.frames++;
      recording.agent.push(loudest(agent));
      recording.other.push(loudest(other));
    },
    async finish() {
      recording.finished = true;
      return recording.frames * 320;
    },
  };
  return {
    log,
    turns,
    ends,
    tools,
    transfers,
    recording,
    answers,
    rejectOn: (...ports) => {
      for (const port of ports) rejecting.add(port);
    },
    moved: (to) => note("moved", `moved ${to}`),
    classified: (answeredBy) => note("classified", `classified ${answeredBy}`),
    async takeSeat() {
      await note("takeSeat", "takeSeat");
      return answers.seat;
    },
    async turn(turn) {
      turns.push(turn);
      await note("turn", `turn ${turn.role}`);
    },
    async extendHold() {
      await note("extendHold", "extendHold");
      return answers.extendHold;
    },
    async openRecording() {
      await note("openRecording", "openRecording");
      return answers.records ? sink : null;
    },
    async runTool(name, args) {
      tools.push({ name, args });
      await note("runTool", `runTool ${name}`);
      return answers.tool;
    },
    async beginTransfer() {
      await note("beginTransfer", "beginTransfer");
      return answers.target;
    },
    async endTransfer(transferId, outcome) {
      transfers.push({ transferId, outcome });
      await note("endTransfer", `endTransfer ${outcome}`);
    },
    async ended(end) {
      ends.push(end);
      await note("ended", `ended ${end.status}`);
    },
  };
}

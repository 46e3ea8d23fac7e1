/**
 * As much of WASI (preview 1) as a program needs that reads its arguments and writes one file: no access to anything of
 * the machine. Node's own `node:wasi` isn't used: under it one of the voices crashed the process.
 */
export interface ProgramRun {
  exitCode: number;
  /** What it wrote, by path. */
  files: ReadonlyMap<string, Uint8Array>;
}

const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_FOUND = 44;
const NOT_SEEKABLE = 70;
const OPEN_CREATES = 1;
const DIRECTORY = 3;
const CHARACTER_DEVICE = 2;
const REGULAR_FILE = 4;
const ROOT_DESCRIPTOR = 3;
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;

class ProgramEnd {
  readonly exitCode: number;
  constructor(exitCode: number) {
    this.exitCode = exitCode;
  }
}

/**
 * Runs a WASI command to its end, synchronously.
 *
 * @throws WebAssembly.RuntimeError when it traps
 */
export function runProgram(module: WebAssembly.Module, args: readonly string[]): ProgramRun {
  const argv = args.map((argument) => Buffer.from(`${argument}\0`));
  const parts = new Map<string, Buffer[]>();
  const open = new Map<number, Buffer[]>();
  let nextDescriptor = ROOT_DESCRIPTOR + 1;
  let memory: WebAssembly.Memory | undefined;
  // Anew each time: growing the memory detaches its buffer.
  const view = () => new DataView(memory!.buffer);
  const bytes = () => new Uint8Array(memory!.buffer);

  const imports = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, argv.length, true);
      view().setUint32(
        size,
        argv.reduce((sum, argument) => sum + argument.length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointers: number, buffer: number) {
      let at = buffer;
      argv.forEach((argument, index) => {
        view().setUint32(pointers + 4 * index, at, true);
        bytes().set(argument, at);
        at += argument.length;
      });
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, time: number) {
      view().setBigUint64(time, 0n, true);
      return SUCCESS;
    },
    fd_prestat_get(descriptor: number, result: number) {
      if (descriptor !== ROOT_DESCRIPTOR) return BAD_DESCRIPTOR;
      view().setUint32(result, 0, true);
      view().setUint32(result + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(descriptor: number, path: number, length: number) {
      if (descriptor !== ROOT_DESCRIPTOR) return BAD_DESCRIPTOR;
      if (length > 0) bytes()[path] = 0x2f;
      return SUCCESS;
    },
    fd_fdstat_get(descriptor: number, result: number) {
      const isStandard = descriptor < ROOT_DESCRIPTOR;
      if (!isStandard && descriptor !== ROOT_DESCRIPTOR && !open.has(descriptor)) return BAD_DESCRIPTOR;
      bytes().fill(0, result, result + 24);
      bytes()[result] = isStandard
        ? CHARACTER_DEVICE
        : descriptor === ROOT_DESCRIPTOR
          ? DIRECTORY
          : REGULAR_FILE;
      view().setBigUint64(result + 8, ALL_RIGHTS, true);
      view().setBigUint64(result + 16, ALL_RIGHTS, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: () => SUCCESS,
    path_open(
      _directory: number,
      _lookup: number,
      path: number,
      length: number,
      flags: number,
      _rights: bigint,
      _inherited: bigint,
      _descriptorFlags: number,
      result: number,
    ) {
      if ((flags & OPEN_CREATES) === 0) return NOT_FOUND;
      const file: Buffer[] = [];
      parts.set(Buffer.from(memory!.buffer, path, length).toString(), file);
      open.set(nextDescriptor, file);
      view().setUint32(result, nextDescriptor++, true);
      return SUCCESS;
    },
    fd_write(descriptor: number, vectors: number, count: number, result: number) {
      const file = open.get(descriptor);
      // What it prints is nobody's business: it may repeat the text.
      if (!file && descriptor !== 1 && descriptor !== 2) return BAD_DESCRIPTOR;
      let written = 0;
      for (let index = 0; index < count; index++) {
        const from = view().getUint32(vectors + 8 * index, true);
        const length = view().getUint32(vectors + 8 * index + 4, true);
        file?.push(Buffer.from(bytes().slice(from, from + length)));
        written += length;
      }
      view().setUint32(result, written, true);
      return SUCCESS;
    },
    fd_read(_descriptor: number, _vectors: number, _count: number, result: number) {
      view().setUint32(result, 0, true);
      return SUCCESS;
    },
    fd_seek: () => NOT_SEEKABLE,
    fd_close: (descriptor: number) => (open.delete(descriptor) ? SUCCESS : BAD_DESCRIPTOR),
    proc_exit(exitCode: number): never {
      // Not an Error: a stack would be captured for nothing.
      throw new ProgramEnd(exitCode);
    },
  };

  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory as WebAssembly.Memory;
  let exitCode = 0;
  try {
    (instance.exports._start as () => void)();
  } catch (end) {
    if (!(end instanceof ProgramEnd)) throw end;
    exitCode = end.exitCode;
  }
  return { exitCode, files: new Map([...parts].map(([path, file]) => [path, Buffer.concat(file)])) };
}

/** What of the package is used here: it has no types of its own. */
declare module "@echogarden/fvad-wasm" {
  export interface Fvad {
    /** A view of the module's memory, made anew whenever that grows: never keep it. */
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** @returns 0 when there is no memory left */
    _fvad_new(): number;
    _fvad_free(detector: number): void;
    _fvad_set_mode(detector: number, mode: number): number;
    _fvad_set_sample_rate(detector: number, rate: number): number;
    /** @returns 1 for speech, 0 for none, -1 for a length that it can't take */
    _fvad_process(detector: number, samples: number, count: number): number;
  }
  export default function load(options?: { wasmBinary?: Uint8Array }): Promise<Fvad>;
}

import { cpus, totalmem } from "node:os";

export interface Line {
  /** What was measured, in words. */
  what: string;
  measured: string;
  /** The limit, measured in the same run. */
  limit?: string;
  ratio?: number;
  reach: string;
  reached: boolean;
}

/** Prints a benchmark's result. The exit status tells whether every line reached its aim. */
export function report(name: string, lines: readonly Line[]): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  console.log(`\n${name} (${machine})`);
  for (const { what, measured, limit, ratio, reach, reached } of lines) {
    const parts = [
      `${what}: ${measured}`,
      limit && `limit ${limit}`,
      ratio !== undefined && `ratio ${ratio.toFixed(2)}`,
      `reach ${reach}`,
    ];
    console.log(`  ${reached ? "reached " : "SHORT   "} ${parts.filter(Boolean).join(" · ")}`);
  }
  if (lines.some(({ reached }) => !reached)) process.exitCode = 1;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

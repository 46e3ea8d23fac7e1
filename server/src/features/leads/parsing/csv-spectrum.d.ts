/** The package brings no types of its own. */
declare module "csv-spectrum" {
  export interface Sample {
    name: string;
    csv: Buffer;
    json: Buffer;
  }
  export default function spectrum(callback: (error: Error | null, samples: Sample[]) => void): void;
}

/** Tells the hour, 0 to 23, that the clocks of a zone show. */
export function createHours(): (zone: string, at: number) => number {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (zone, at) => {
    let format = formats.get(zone);
    if (!format) {
      format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "numeric", hourCycle: "h23" });
      formats.set(zone, format);
    }
    return Number(format.format(at));
  };
}

/** What a clock and a calendar on the wall show. */
export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Since midnight, with its seconds as a fraction. */
  minute: number;
}

/** Reads the clocks of time zones, by Intl alone. */
export function createWallClocks(): (zone: string, at: number) => WallTime {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (zone, at) => {
    let format = formats.get(zone);
    if (!format) {
      format = new Intl.DateTimeFormat("en-US", {
        ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
        ...{ hour: "numeric", minute: "numeric", second: "numeric" },
      });
      formats.set(zone, format);
    }
    // "3/8/2026, 07:59:59"
    const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number) as [
      ...[number, number, number],
      ...[number, number, number],
    ];
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    return { year, month, day, weekday, minute: hour * 60 + minute + second / 60 };
  };
}

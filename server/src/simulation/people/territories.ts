/**
 * Where people of the simulation live: a territory a line, with its country, its states or provinces, its area codes (a code and
 * its overlays) and every time zone in it, the main one first. Written by hand from the numbering plan's maps and the zones'
 * borders, not taken from the tables that the dialer goes by: the checker compares the one with the other.
 */
const NORTH_AMERICA = `
US AL 205,659 America/Chicago
US AL 251 America/Chicago
US AL 256,938 America/Chicago
US AL 334 America/Chicago
US AK 907 America/Anchorage,America/Adak
US AZ 480,602,623 America/Phoenix
US AZ 520 America/Phoenix
US AZ 928 America/Phoenix,America/Denver
US AR 501 America/Chicago
US AR 870,327 America/Chicago
US CA 213,323,738 America/Los_Angeles
US CA 415,628 America/Los_Angeles
US CA 619,858 America/Los_Angeles
US CA 916,279 America/Los_Angeles
US CA 559,357 America/Los_Angeles
US CO 303,720,983 America/Denver
US CO 970,748 America/Denver
US CT 203,475 America/New_York
US CT 860,959 America/New_York
US DE 302 America/New_York
US DC 202,771 America/New_York
US FL 305,645,786 America/New_York
US FL 407,321,689 America/New_York
US FL 813,656 America/New_York
US FL 904,324 America/New_York
US FL 850,448 America/Chicago,America/New_York
US GA 404,470,678,770,943 America/New_York
US GA 912 America/New_York
US HI 808 Pacific/Honolulu
US ID 208,986 America/Boise,America/Los_Angeles
US IL 312,773,872 America/Chicago
US IL 217,447 America/Chicago
US IL 618,730 America/Chicago
US IN 317,463 America/Indiana/Indianapolis
US IN 812,930 America/Indiana/Indianapolis,America/Chicago
US IN 574 America/Indiana/Indianapolis,America/Chicago
US IA 515 America/Chicago
US IA 319 America/Chicago
US KS 913 America/Chicago
US KS 785 America/Chicago,America/Denver
US KS 620 America/Chicago,America/Denver
US KY 502 America/Kentucky/Louisville
US KY 859 America/New_York
US KY 270,364 America/Chicago,America/New_York
US LA 504 America/Chicago
US LA 225 America/Chicago
US LA 318,457 America/Chicago
US ME 207 America/New_York
US MD 410,443,667 America/New_York
US MD 301,240,227 America/New_York
US MA 617,857 America/New_York
US MA 413 America/New_York
US MI 313,679 America/Detroit
US MI 616 America/Detroit
US MI 906 America/Detroit,America/Menominee
US MN 612 America/Chicago
US MN 218 America/Chicago
US MS 601,769 America/Chicago
US MS 662,471 America/Chicago
US MO 314,557 America/Chicago
US MO 816,975 America/Chicago
US MT 406 America/Denver
US NE 402,531 America/Chicago
US NE 308 America/Chicago,America/Denver
US NV 702,725 America/Los_Angeles
US NV 775 America/Los_Angeles,America/Denver
US NH 603 America/New_York
US NJ 201,551 America/New_York
US NJ 609,640 America/New_York
US NM 505 America/Denver
US NM 575 America/Denver
US NY 212,332,347,465,646,718,917,929 America/New_York
US NY 716,624 America/New_York
US NY 518,838 America/New_York
US NC 704,980 America/New_York
US NC 919,984 America/New_York
US ND 701 America/Chicago,America/Denver
US OH 614,380 America/New_York
US OH 216 America/New_York
US OK 405,572 America/Chicago
US OK 918,539 America/Chicago
US OR 503,971 America/Los_Angeles
US OR 541,458 America/Los_Angeles,America/Boise
US PA 215,267,445 America/New_York
US PA 412,724,878 America/New_York
US PA 814,582 America/New_York
US PR 787,939 America/Puerto_Rico
US RI 401 America/New_York
US SC 803,839 America/New_York
US SC 843,854 America/New_York
US SD 605 America/Chicago,America/Denver
US TN 615,629 America/Chicago
US TN 423,729 America/New_York,America/Chicago
US TN 901 America/Chicago
US TX 214,469,945,972 America/Chicago
US TX 281,346,621,713,832 America/Chicago
US TX 512,737 America/Chicago
US TX 915 America/Denver
US TX 806 America/Chicago
US UT 801,385 America/Denver
US UT 435 America/Denver
US VT 802 America/New_York
US VA 703,571 America/New_York
US VA 804,686 America/New_York
US WA 206 America/Los_Angeles
US WA 509 America/Los_Angeles
US WV 304,681 America/New_York
US WI 414 America/Chicago
US WI 608,353 America/Chicago
US WY 307 America/Denver
CA AB 403,587,780,825,368 America/Edmonton
CA BC 604,250,778,236,672,257 America/Vancouver,America/Edmonton,America/Dawson_Creek
CA MB 204,431,584 America/Winnipeg
CA NL 709,879 America/St_Johns,America/Halifax
CA NS,PE 902,782 America/Halifax
CA ON 416,437,647,942 America/Toronto
CA ON 807 America/Toronto,America/Winnipeg
CA QC 514,438,263 America/Toronto
CA SK 306,639,474 America/Regina
`;

/** Calling codes, with how many digits follow, and all zones of the country. */
const ABROAD = `
44 10 Europe/London
49 10 Europe/Berlin
33 9 Europe/Paris
34 9 Europe/Madrid,Atlantic/Canary
52 10 America/Mexico_City,America/Cancun,America/Hermosillo,America/Tijuana
55 10 America/Sao_Paulo,America/Manaus,America/Rio_Branco,America/Noronha
61 9 Australia/Sydney,Australia/Brisbane,Australia/Adelaide,Australia/Darwin,Australia/Perth
81 9 Asia/Tokyo
91 10 Asia/Kolkata
`;

/** All that a number tells of where its owner may be. */
export interface Territory {
  country: "US" | "CA" | "other";
  /** States or provinces, two letters each. */
  states: readonly string[];
  /** The main one first; none where the number tells of no place. */
  zones: readonly string[];
}

/** A territory with the numbers that people there have. */
export interface Numbered extends Territory {
  /** What a number begins with, such as `+1212`. */
  prefixes: readonly string[];
  digitsAfter: number;
}

export const northAmerica: readonly Numbered[] = linesOf(NORTH_AMERICA).map(
  ([country, states, codes, zones]) => ({
    country: country as "US" | "CA",
    states: states!.split(","),
    prefixes: codes!.split(",").map((code) => `+1${code}`),
    digitsAfter: 7,
    zones: zones!.split(","),
  }),
);

export const abroad: readonly Numbered[] = linesOf(ABROAD).map(([code, digits, zones]) => ({
  country: "other",
  states: [],
  prefixes: [`+${code}`],
  digitsAfter: Number(digits),
  zones: zones!.split(","),
}));

/** Numbers that nobody can say the place of: toll-free ones, and codes that don't exist. */
export const nowhere: readonly Numbered[] = [
  ["+1800", "+1833", "+1844", "+1855", "+1866", "+1877", "+1888"],
  // Not given to anybody, or no area code at all.
  ["+1200", "+1999", "+1555", "+1012", "+1123"],
  // No country.
  ["+210555", "+999555"],
].map((prefixes) => ({ country: "US", states: [], prefixes, digitsAfter: 7, zones: [] }));

function linesOf(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
}

import spectrum, { type Sample } from "csv-spectrum";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import { type CsvRow, MAX_CSV_BYTES, MAX_CSV_COLUMNS, openCsv, requireCsv } from "./csv.ts";

interface ReadFile {
  headers: readonly string[];
  rows: CsvRow[];
}

async function read(csv: string, rowsPerBatch?: number): Promise<ReadFile> {
  const file = await openCsv(csv);
  const rows: CsvRow[] = [];
  for await (const batch of file.rowBatches(rowsPerBatch)) {
    expect(batch.length).toBeGreaterThan(0);
    rows.push(...batch);
  }
  return { headers: file.headers, rows };
}

/** Each row's cells with | between them. */
const READABLE: [what: string, csv: string, rows: string[]][] = [
  ["a byte-order mark", "\ufeffa,b\n1,2", ["a|b", "1|2"]],
  ["a byte-order mark before a quoted header", '\ufeff"a",b\n1,2', ["a|b", "1|2"]],
  ["CRLF, CR and LF in one file", "a,b\r\n1,2\r3,4\n5,6", ["a|b", "1|2", "3|4", "5|6"]],
  ["CR alone", "a,b\r1,2\r", ["a|b", "1|2"]],
  ["line breaks in quotes", 'a,b\r\n"1\n1","2\r\n2\r"\r\n', ["a|b", "1\n1|2\r\n2\r"]],
  ["escaped quotes", 'a,b\n"say ""hi""",""""\n', ["a|b", 'say "hi"|"']],
  ["empty quoted cells", 'a,b\n"",x\n', ["a|b", "|x"]],
  ["a separator in quotes", 'a,b\n"1,5",2', ["a|b", "1,5|2"]],
  ["a stray quote", 'a,b\n5" pipe,2"\nx,"y"', ["a|b", '5" pipe|2"', "x|y"]],
  ["quotes within a quoted line", 'a,b\n"Ann "the boss" Lee",2', ["a|b", '"Ann "the boss" Lee"|2']],
  ["spaces behind a closing quote", 'a,b\n"1" ,"2"  \n', ["a|b", "1|2"]],
  ["spaces around header names only", " a , b \n 1 , 2 ", ["a|b", " 1 | 2 "]],
  ["short and long rows", "a,b,c\n1\n1,2\n1,2,3,4\n1,,\n", ["a|b|c", "1", "1|2", "1|2|3", "1||"]],
  ["blank rows", '\n \n,,\na,b\n\n  \n,\n""\n" ",\n1,2\n\r\n\r\n', ["a|b", "1|2"]],
  ["content past the header alone", "a\n,x\n", ["a", ""]],
  ["a header alone", "a,b", ["a|b"]],
  ["semicolons", "a;b\n1,5;2\n", ["a|b", "1,5|2"]],
  ["tabs", "a\tb\n1;5\t2\n\t3\n", ["a|b", "1;5|2", "|3"]],
  ["semicolons where commas are quoted", '"a,x";b\n1;2', ["a,x|b", "1|2"]],
  ["commas where there are any", "a;x,b\n1,2", ["a;x|b", "1|2"]],
  ["commas behind a stray quote", 'a",b;c\n1,2', ['a"|b;c', "1|2"]],
  ["semicolons behind a stray quote", 'a";b\n1;2', ['a"|b', "1|2"]],
  ["a line break in a quoted header", '"a\n;x",b\n1,2', ["a\n;x|b", "1|2"]],
  ["the more frequent of semicolon and tab", "a;b\tc\td\n1\t2\t3", ["a;b|c|d", "1|2|3"]],
  ["blank rows of another separator first", ";;\n,,\na,b\n1,2", ["a|b", "1|2"]],
  ["a single column", "a\n1;2\n3\t4", ["a", "1;2", "3\t4"]],
  [
    "equal and odd headers",
    "a,a,,__proto__,constructor\n1,2,3,4,5",
    ["a|a||__proto__|constructor", "1|2|3|4|5"],
  ],
  ["lone surrogates and NUL as they are", "a,b\n\ud800,\0", ["a|b", "\ud800|\0"]],
];

describe("openCsv", () => {
  it.each(READABLE)("reads %s", async (_, csv, expected) => {
    const { headers, rows } = await read(csv);
    expect([headers, ...rows.map(({ cells }) => cells)].map((cells) => cells.join("|"))).toEqual(expected);
  });

  it.each([
    ["nothing but a byte-order mark", "\ufeff", "header"],
    ["white space", " \t\r\n\n ", "header"],
    ["separators", ",,,\n;;\n\t", "header"],
    ["an empty quoted cell", '""', "header"],
    ["an unclosed quote in the header", 'a,"b\n1,2', "line 1"],
    ["an unclosed quote at the end", 'a,b\r\n1,2\r\n3,"4\r\n', "line 3"],
    ["a quote alone at the end", 'a,b\n1,"', "line 2"],
    ["an unclosed quote behind an escaped one", 'a,b\n1,"""', "line 2"],
    ["an unclosed quote that swallows the next row", 'p,n\n555,"Ann\n556,"Bob"\n557,Cy\n', "line 2"],
  ])("refuses %s", async (_, csv, message) => {
    const failure = await read(csv).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DomainError);
    expect(failure).toMatchObject({ code: "invalid_csv", message: expect.stringContaining(message) });
  });

  it("numbers the rows below the header, blank ones left out, and keeps each as it was written", async () => {
    const { rows } = await read('a,b\r\n"1\r\n1",2,9\r\n\r\n,\r\n 3\n');
    expect(rows.map(({ rowNumber, raw }) => [rowNumber, raw])).toEqual([
      [1, '"1\r\n1",2,9'],
      [2, " 3"],
    ]);
  });

  it("gives batches of the size asked for, each call from the start", async () => {
    const file = await openCsv("a\n1\n2\n3\n4\n5\n");
    for (let time = 0; time < 2; time++) {
      const sizes: number[] = [];
      for await (const batch of file.rowBatches(2)) sizes.push(batch.length);
      expect(sizes).toEqual([2, 2, 1]);
    }
  });

  it("takes as many columns as a spreadsheet and no more", async () => {
    const widest = Array.from({ length: MAX_CSV_COLUMNS }, (_, index) => `c${index}`).join(",");
    expect((await openCsv(widest)).headers).toHaveLength(MAX_CSV_COLUMNS);
    await expect(openCsv(`${widest},x`)).rejects.toMatchObject({ code: "invalid_csv" });
  });

  it("passes csv-spectrum", async () => {
    const samples = await new Promise<Sample[]>((resolve, reject) =>
      spectrum((error, data) => (error ? reject(error) : resolve(data))),
    );
    expect(samples.length).toBeGreaterThanOrEqual(12);
    for (const { name, csv, json } of samples) {
      // The package replaced this sample's phone number in its JSON alone.
      const text =
        name === "location_coordinates" ? String(csv).replace(/\d{10}/, "1234567890") : String(csv);
      const { headers, rows } = await read(text);
      const records = rows.map((row) =>
        Object.fromEntries(headers.map((header, at) => [header, row.cells[at]])),
      );
      const expected: unknown = JSON.parse(String(json));
      expect(records, name).toEqual(Array.isArray(expected) ? expected : [expected]);
    }
  });
});

describe("requireCsv", () => {
  it.each([[undefined], [null], [""], [1], [{}], [["a,b"]], [true]])(
    "refuses %j as csv_required",
    (value) => {
      expect(() => requireCsv(value)).toThrow(expect.objectContaining({ code: "csv_required" }));
    },
  );

  it("counts UTF-8 bytes", () => {
    expect(requireCsv("x".repeat(MAX_CSV_BYTES))).toHaveLength(MAX_CSV_BYTES);
    expect(requireCsv("ü".repeat(MAX_CSV_BYTES / 2))).toHaveLength(MAX_CSV_BYTES / 2);
    for (const csv of ["x".repeat(MAX_CSV_BYTES + 1), `${"ü".repeat(MAX_CSV_BYTES / 2)}x`]) {
      expect(() => requireCsv(csv)).toThrow(expect.objectContaining({ code: "payload_too_large" }));
    }
  });
});

// Rules of this code base that no linter knows. Each counts what it looked at, so that it can't pass by looking at nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const isTest = (path) => /(\.test\.ts$|\/testing\/)/.test(path);

/** `applies` picks the files, `forbidden` is what a line of theirs must not have. */
const rules = [
  {
    name: "SQL stands in *.sql.ts only",
    applies: (path) =>
      path.startsWith("server/src/") &&
      !path.endsWith(".sql.ts") &&
      !isTest(path) &&
      !path.includes("/database/"),
    forbidden:
      /["'`]\s*(SELECT\s.+\sFROM|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM|WITH\s+\w+\s+AS\s*\()\s*/,
  },
  {
    name: "the environment is read by config.ts and main.ts only",
    applies: (path) =>
      path.startsWith("server/src/") && !isTest(path) && !/server\/src\/(config|main)\.ts$/.test(path),
    forbidden: /process\.env\b/,
  },
  {
    name: "time is asked of the clock",
    applies: (path) =>
      path.startsWith("server/src/") &&
      !isTest(path) &&
      !path.endsWith("src/clock.ts") &&
      !path.includes("/database/embedded/"),
    forbidden: /Date\.now\(\)|new Date\(\)/,
  },
  {
    name: "the database's time decides nothing",
    applies: (path) => path.endsWith(".sql.ts") || path.endsWith(".sql"),
    forbidden: /\b(now\(\)|current_timestamp|clock_timestamp\(\)|statement_timestamp\(\))/i,
  },
  {
    name: "insert and update are told apart by version, not by xmax",
    applies: (path) => path.endsWith(".sql.ts") || path.endsWith(".sql"),
    forbidden: /\bxmax\b/i,
  },
  {
    // V8 keeps an object with an accessor of its own as a dictionary: each look-up in it is slow, and there are hundreds a frame.
    name: "what works on every frame of audio has methods, not getters",
    applies: (path) => path.startsWith("server/src/voice/media/") && !isTest(path),
    forbidden: /^\s+get \w+\(\)/,
  },
  {
    name: "no test is skipped for good, nor run alone",
    applies: (path) => path.endsWith(".test.ts"),
    forbidden: /\b(it|test|describe)\.(only|todo|skip)\(/,
  },
];

/** Names that say nothing about what they hold. */
const EMPTY_NAMES = /(^|\/)(utils?|helpers?|common|misc|lib|shared)(\.\w+$|\/)/;
const EVERY_KEY_STARTS_WITH_ORGANIZATION = /^\s*(?:\w+\s+uuid\s+PRIMARY KEY|PRIMARY KEY\s*\(\s*(\w+))/;

export function checkSourceRules(root) {
  const files = list(root).filter((path) => /\.(ts|mjs|sql)$/.test(path));
  const problems = [];
  for (const { name, applies, forbidden } of rules) {
    const looked = files.filter(applies);
    if (looked.length === 0) problems.push(`"${name}" looked at no file`);
    for (const path of looked) {
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .forEach((line, index) => {
          if (/^\s*(\/\/|\*|--)/.test(line)) return;
          if (forbidden.test(line)) problems.push(`${path}:${index + 1}: ${name}: ${line.trim()}`);
        });
    }
  }
  for (const path of files)
    if (EMPTY_NAMES.test(path)) problems.push(`${path}: a name that says nothing about what it holds`);

  const keys = files
    .filter((path) => path.startsWith("server/migrations/"))
    .flatMap((path) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .filter((line) => /PRIMARY KEY/.test(line) && !/^\s*--/.test(line))
        .map((line) => ({ path, line })),
    );
  if (keys.length === 0) problems.push("no primary key was found in the migrations");
  for (const { path, line } of keys) {
    const first = EVERY_KEY_STARTS_WITH_ORGANIZATION.exec(line);
    const starts = /^\s*organization_id\s/.test(line) || first?.[1] === "organization_id";
    if (!starts) problems.push(`${path}: a primary key doesn't start with organization_id: ${line.trim()}`);
  }
  return {
    ok: problems.length === 0,
    output: problems.join("\n"),
    note: `${files.length} files, ${rules.length} rules, ${keys.length} primary keys`,
  };
}

function list(root) {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (["node_modules", "dist", "data", ".git"].includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(root, path));
    }
  };
  for (const folder of ["server", "cli", "sdk", "scripts", "tests", "bench"]) walk(join(root, folder));
  return found;
}

// node .ci/test.mjs COUNTS COMMAND…: runs the tests, and writes how many { passed, failed, skipped } there were.
// Peers and media keep real time, which a machine that others use may miss once: files in which a test failed are run
// once more, by themselves. What fails twice fails; what passed only then is named. More than six files aren't chance.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

const MOST_FILES = 6;
const [counts, command, ...args] = process.argv.slice(2);

function run(files) {
  const report = `${counts}.report`;
  const { status } = spawnSync(
    command,
    [...args, ...files, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { stdio: "inherit" },
  );
  const { testResults, ...totals } = JSON.parse(readFileSync(report, "utf8"));
  return { status, testResults, totals };
}

const first = run([]);
let { status } = first;
let failed = first.totals.numFailedTests;
let passed = first.totals.numPassedTests;
let skipped = first.totals.numPendingTests + first.totals.numTodoTests;
const failing = first.testResults.filter((file) => file.status === "failed");
const files = failing.map(({ name }) => relative(".", name));
if (status !== 0 && files.length > 0 && files.length <= MOST_FILES) {
  console.log(`\nOnce more, by themselves: ${files.join(", ")}`);
  const again = run(files);
  status = again.status;
  const before = failing.flatMap((file) => file.assertionResults);
  const were = (...states) => before.filter((test) => states.includes(test.status)).length;
  passed += again.totals.numPassedTests - were("passed");
  failed += again.totals.numFailedTests - were("failed");
  skipped += again.totals.numPendingTests + again.totals.numTodoTests - were("skipped", "pending", "todo");
  if (status === 0) console.log(`\nFailed once, and passed by themselves: ${files.join(", ")}`);
}
writeFileSync(counts, JSON.stringify({ passed, failed, skipped }));
process.exit(status ?? 1);

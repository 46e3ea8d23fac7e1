// What must be in place before anything of this project can run: a Node.js that is new enough, the dependencies, and
// bundles of the sources. All of it takes a few milliseconds when there is nothing to do.
//
// Plain JavaScript without dependencies, in a syntax that an old Node.js reads too, so that it can say that it is old.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The bundles by name. Below `server/` and `cli/`, so that paths relative to `src/` hold in `dist/` too. */
export const bundles = {
  server: { entry: "server/src/main.ts", output: "server/dist/main.js", manifest: "server/dist/build.json" },
  // A worker thread needs a file to start from, also from the tests, which run the sources.
  speech: {
    entry: "server/src/voice/speech/flite-worker.ts",
    output: "server/dist/flite-worker.js",
    manifest: "server/dist/flite-worker.json",
  },
  // For browsers, in both forms that they load scripts in.
  sdk: {
    entry: "sdk/voice/src/index.ts",
    output: "sdk/voice/dist/voice.js",
    manifest: "sdk/voice/dist/voice.json",
    page: { format: "esm" },
  },
  "sdk-global": {
    entry: "sdk/voice/src/index.ts",
    output: "sdk/voice/dist/voice.global.js",
    manifest: "sdk/voice/dist/voice.global.json",
    page: { format: "iife", globalName: "OutreachVoice" },
  },
  "demo-page": {
    entry: "sdk/demo/src/main.ts",
    output: "sdk/demo/dist/demo.js",
    manifest: "sdk/demo/dist/demo.json",
    page: { format: "esm" },
  },
  cli: { entry: "cli/src/main.ts", output: "cli/dist/main.js", manifest: "cli/dist/build.json" },
};

/** Ends the process with a plain message when this Node.js is older than package.json's `engines` asks for. */
export function requireNode() {
  const wanted = readJson("package.json").engines.node.replace(/[^\d.]/g, "");
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [wantedMajor, wantedMinor] = wanted.split(".").map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  fail(
    `Outreach needs Node.js ${wanted} or newer, and this is ${process.versions.node}. Get it from https://nodejs.org.`,
  );
}

/**
 * Installs the dependencies when one is missing or has another version than the one that package.json pins.
 *
 * @param {{ development?: boolean }} options whether what only tests and checks need counts too
 */
export function installMissing({ development = false } = {}) {
  const missing = firstMissing(development);
  if (missing === null) return;
  note(`Installing the dependencies (${missing}) …`);
  // `npm ci` empties node_modules, which a running service may be using. And it refuses the lock file where the registry
  // lacks another platform's optional packages; `npm install` goes by the same lock file, and passes them over.
  if (!existsSync(join(root, "node_modules")) && npm("ci", "ignore") === 0) return;
  const status = npm("install --no-save", 2);
  if (status !== 0) fail(`The dependencies could not be installed: npm ended with status ${status}.`);
}

/** Runs npm and returns its exit status. What it prints goes to `output`: stdout belongs to the program's own. */
function npm(command, output) {
  const args = [...command.split(" "), "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: root, stdio: ["ignore", output, output] };
  // npm names its own program to the scripts it runs; started without npm, it is looked for on the PATH.
  const own = process.env.npm_execpath;
  const { status, error } = own?.endsWith("npm-cli.js")
    ? spawnSync(process.execPath, [own, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (error)
    fail(`npm could not be started (${error.message}). Run "npm install" in ${root}, then try again.`);
  return status;
}

function firstMissing(development) {
  // npm writes this file last: without it an install broke off in the middle.
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return "there are none yet";
  const wanted = {
    ...readJson("server/package.json").dependencies,
    ...readJson("cli/package.json").dependencies,
  };
  if (development) Object.assign(wanted, readJson("package.json").devDependencies);
  for (const [name, version] of Object.entries(wanted)) {
    const places = ["node_modules", "server/node_modules", "cli/node_modules"];
    const found = places
      .map((place) => join(place, name, "package.json"))
      .filter((file) => existsSync(join(root, file)))
      .map((file) => readJson(file).version);
    if (!found.includes(version)) return `${name} ${version} is missing`;
  }
  return null;
}

/** What a service needs to run. */
export const SERVICE_BUNDLES = ["server", "speech", "sdk", "sdk-global", "demo-page"];

/**
 * Builds these bundles when a file that went into them has changed since.
 *
 * @param {(keyof typeof bundles)[]} names
 */
export function buildStale(...names) {
  const stale = names.filter((name) => !isFresh(name));
  if (stale.length === 0) return;
  // In a process of its own: the compiler's memory goes with it, and the service keeps none of it.
  const builder = join(root, "scripts/build.mjs");
  const { status } = spawnSync(process.execPath, [builder, ...stale], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}

/** Loads a bundle. */
export function importBuilt(name) {
  // Node.js 22.8 and newer can keep its compiled code between starts.
  if (module.enableCompileCache) module.enableCompileCache(join(root, "node_modules/.cache/outreach"));
  return import(new URL(`../${bundles[name].output}`, import.meta.url).href);
}

function isFresh(name) {
  const { output, manifest } = bundles[name];
  try {
    statSync(join(root, output));
    const { inputs } = readJson(manifest);
    return Object.entries(inputs).every(([file, stamp]) => stampOf(file) === stamp);
  } catch {
    return false;
  }
}

/** Tells two states of a file apart without reading it. */
export function stampOf(file) {
  const { mtimeMs, size } = statSync(join(root, file));
  return `${mtimeMs}:${size}`;
}

/** To stderr: stdout belongs to the program's own output. */
export function note(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  note(text);
  process.exit(1);
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}

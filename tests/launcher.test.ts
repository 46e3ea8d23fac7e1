import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** A project of the same shape, in which the sources are ours to change. */
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "outreach-launcher-"));
  for (const folder of ["scripts", "cli/src", "server/src"]) {
    await mkdir(join(project, folder), { recursive: true });
  }
  for (const file of ["package.json", "package-lock.json", "server/package.json", "cli/package.json"]) {
    await copyFile(join(PROJECT, file), join(project, file));
  }
  for (const script of ["prepare", "build", "cli"]) {
    await copyFile(join(PROJECT, `scripts/${script}.mjs`), join(project, `scripts/${script}.mjs`));
  }
  for (const folder of ["node_modules", "server/node_modules"]) {
    await symlink(join(PROJECT, folder), join(project, folder));
  }
  await writeFile(
    join(project, "cli/src/main.ts"),
    'import { word } from "./word.ts";\nexport async function run() { console.log(word); return 0; }\n',
  );
  await say("one");
});
afterAll(() => rm(project, { recursive: true }));

const say = (word: string) =>
  writeFile(join(project, "cli/src/word.ts"), `export const word: string = "${word}";\n`);

async function run(
  script: string,
  ...words: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child: ChildProcess = spawn(process.execPath, [join(project, "scripts", script), ...words], {
    // Without a PATH no npm is found: whatever happens here, the real node_modules stay as they are.
    env: {},
  });
  let stdout = "";
  let stderr = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [status] = (await once(child, "close")) as [number];
  return { status, stdout, stderr };
}

it("builds when a source has changed, also to one that is older, and only then", async () => {
  expect(await run("cli.mjs")).toEqual({ status: 0, stdout: "one\n", stderr: "" });
  const built = () => readFile(join(project, "cli/dist/build.json"), "utf8");
  const first = await built();
  await run("cli.mjs");
  expect(await built()).toBe(first);

  await say("two");
  expect((await run("cli.mjs")).stdout).toBe("two\n");
  await say("six");
  await utimes(join(project, "cli/src/word.ts"), 1, 1);
  expect((await run("cli.mjs")).stdout).toBe("six\n");
});

it("lets several that start at once all find a whole build", async () => {
  await say("all");
  const runs = await Promise.all(Array.from({ length: 4 }, () => run("cli.mjs")));
  expect(runs.map(({ stdout }) => stdout)).toEqual(Array(4).fill("all\n"));
  expect((await readdir(join(project, "cli/dist"))).sort()).toEqual(["build.json", "main.js", "main.js.map"]);
});

it("names what is wrong with a source, keeps nothing of it, and works again when it is mended", async () => {
  await writeFile(join(project, "cli/src/word.ts"), "export const word = ;\n");
  const broken = await run("cli.mjs");
  expect(broken).toMatchObject({ status: 1, stdout: "" });
  expect(broken.stderr).toContain("cli/src/word.ts:1:20");
  expect(broken.stderr).not.toContain("    at ");
  await say("mended");
  expect((await run("cli.mjs")).stdout).toBe("mended\n");
});

it("says so when Node.js is too old", async () => {
  const manifest = join(project, "package.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace(/"node": ".*"/, '"node": ">=99.5.0"'));
  const refused = await run("cli.mjs");
  await writeFile(manifest, text);
  expect(refused).toEqual({
    status: 1,
    stdout: "",
    stderr: `Outreach needs Node.js 99.5.0 or newer, and this is ${process.versions.node}. Get it from https://nodejs.org.\n`,
  });
});

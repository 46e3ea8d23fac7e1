// Does what the README says, in a clone that has nothing but its files: `npm start`, a first lead, call and webhook, stop; and after a
// second start a first campaign.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const clone = process.argv[2];
const readme = readFileSync(join(clone, "README.md"), "utf8");
const running = new Set();
const fail = (what, output) => {
  for (const child of running) process.kill(-child.pid, "SIGTERM");
  process.stdout.write(`${what}\n${output}\n`);
  process.exit(1);
};

// Ports that are free here, in place of the README's: another program may have those.
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return String(port);
}
const [PORT, ADMIN_PORT, listenPort] = [await freePort(), await freePort(), await freePort()];

/** Runs a command in the clone and waits until its output says what it should. */
function start(command, args, environment = {}) {
  const child = spawn(command, args, {
    cwd: clone,
    env: { ...process.env, PORT, ADMIN_PORT, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const program = { child, output: "" };
  const watchers = new Set();
  let stopping = false;
  running.add(child);
  child.on("exit", (code, signal) => {
    running.delete(child);
    // npx itself ends by the signal that it was sent; what it started ends as it should.
    if (code !== 0 && !(stopping && signal))
      fail(`${command} ${args.join(" ")}: ended with ${code}`, program.output);
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      program.output += chunk;
      for (const watch of watchers) watch();
    });
  }
  program.until = (pattern, seconds) =>
    new Promise((resolve) => {
      const look = () => {
        const match = pattern.exec(program.output);
        if (!match) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve(match);
      };
      const timer = setTimeout(
        () => fail(`${command} ${args.join(" ")}: no ${pattern} within ${seconds} s`, program.output),
        seconds * 1000,
      );
      watchers.add(look);
      look();
    });
  program.stop = async (signal) => {
    stopping = true;
    const gone = once(child, "exit");
    // As the terminal's Ctrl-C does: to npm and to what it started.
    process.kill(-child.pid, signal);
    await gone;
  };
  return program;
}

const section = (title) => readme.split(`## ${title}\n`)[1].split("\n## ")[0];
const codeOf = (title, starts) =>
  section(title)
    .split("\n\n")
    .find((block) => block.split("\n").some((text) => text.startsWith(`    ${starts}`)))
    .replace(/^ {4}/gm, "");

const service = start("npm", ["start"], { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" });
const [, key] = await service.until(/Live key\s+(service_live_[0-9a-f]{64})/, 240);
console.log("npm start: running, with a demo key");

const line = codeOf("A first lead", "curl")
  .replace("service_live_…", key)
  .replace("localhost:8080", `localhost:${PORT}`);
const firstLead = () => {
  const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
  const lead = JSON.parse(stdout || "{}");
  if (lead.phone_number !== "+12125550100") fail("the README's first lead", `${stdout}${stderr}`);
  return lead;
};
const lead = firstLead();
console.log(`the first lead: ${lead.id} ${lead.phone_number}`);

const run = (command) =>
  spawnSync("bash", ["-c", command], {
    cwd: clone,
    env: { ...process.env, PORT, ADMIN_PORT },
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  }).stdout;
const filled = (text, id) =>
  text.replace("service_live_…", key).replace("localhost:8080", `localhost:${PORT}`).replace("ID", id);
const callId = JSON.parse(run(filled(codeOf("A first call", "curl -s http"), ""))).id;
const [transcriptLine, recordingLine] = section("A first call")
  .split("\n")
  .filter((text) => /^ {4}curl .*ID/.test(text))
  .map((text) => filled(text.trim(), callId));
for (const deadline = Date.now() + 120_000; ; ) {
  const { status, text } = JSON.parse(run(transcriptLine));
  if (status === "ready" && /Agent: Hello, this is Clara/.test(text)) break;
  if (Date.now() > deadline) fail("the first call's transcript", text);
  await new Promise((resolve) => setTimeout(resolve, 500));
}
const audio = run(recordingLine.replace("-o call.wav", "-o -"));
if (audio.subarray(0, 4).toString() !== "RIFF" || audio.length < 50_000)
  fail("the first call's recording", `${audio.length} bytes`);
console.log(`the first call: ${callId}, its transcript, and a recording of ${audio.length} bytes`);

const listen = start(
  "npx",
  codeOf("A first webhook", "npx outreach listen").trim().split(" ").slice(1).concat("--port", listenPort),
);
await listen.until(/Listening on/, 30);
firstLead();
await listen.until(/lead\.updated .* verified/, 30);
console.log("outreach listen: received it, signature verified");
await listen.stop("SIGINT");

for (const printed of service.output.match(/^ {2}curl .*$/gm)) {
  const { stdout } = spawnSync("bash", ["-c", `${printed} -o /dev/null -w '%{http_code}'`], {
    encoding: "utf8",
  });
  if (!/^20[01]$/.test(stdout))
    fail(`a printed curl line answered ${stdout}`, printed.replaceAll(/service_live_\w+/g, "service_live_…"));
}
console.log("the three printed lines: answered");

await service.stop("SIGTERM");
console.log("SIGTERM: drained");

// At an hour at which the campaign's leads may be called.
const night = /CLOCK_START=(.*) npm start/.exec(section("A first campaign"))[1];
const CLOCK_START = run(`echo ${night}`).toString().trim();
const again = start("npm", ["start"], { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1", CLOCK_START });
await again.until(/Outreach is running/, 30);
if (/service_live_/.test(again.output)) fail("the second start shows a key", again.output);
console.log(`a second start, at ${CLOCK_START}: no demo keys`);

const [, organization] = /Organization\s+(\S+)/.exec(service.output);
const [, campaign] = /Campaign\s+(\S+)/.exec(service.output);
/** A command of the section, by how it begins. */
const outreach = (words) => {
  const line = codeOf("A first campaign", `npx outreach ${words}`)
    .split("\n")
    .find((text) => text.startsWith(`npx outreach ${words}`))
    .replace("ORG", organization)
    .replace("CAMPAIGN", campaign);
  return JSON.parse(run(`${line} --json`).toString() || "{}");
};
const preview = outreach("campaign preview");
if (preview.leads !== 10 || preview.dialable_now !== 10)
  fail("the campaign's preview", JSON.stringify(preview));
if (outreach("campaign launch").status !== "active") fail("the campaign's launch", again.output);
let progress;
for (const deadline = Date.now() + 120_000; ; ) {
  progress = outreach("campaign progress");
  if (progress.attempts === 10 && progress.live_now === 0) break;
  if (Date.now() > deadline) fail("the campaign's progress", JSON.stringify(progress));
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
if (progress.done !== 5 || progress.waiting !== 5) fail("what became of the leads", JSON.stringify(progress));
const verdicts = outreach("campaign verdicts").data;
if (verdicts.length !== 10 || !verdicts.every(({ allowed, call_id }) => allowed && call_id))
  fail("the campaign's verdicts", JSON.stringify(verdicts));
const { verdict } = JSON.parse(
  run(`npx outreach call show --org ${organization} --call ${verdicts[0].call_id} --json`).toString(),
);
if (verdict?.id !== verdicts[0].id) fail("the call's verdict", JSON.stringify(verdict));
if (outreach("appointment list").data.length !== 1 || outreach("dnc list").data.length !== 1)
  fail("the appointment and the wish", JSON.stringify([outreach("appointment list"), outreach("dnc list")]));
console.log(
  `the first campaign: 10 called, ${progress.outcomes.map(({ outcome, count }) => `${count} ${outcome}`).join(", ")}`,
);

await again.stop("SIGINT");
console.log("Ctrl-C ends it");

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../server/src/testing/free-port.ts";
import { until } from "./sipp.ts";

export interface Baresip {
  port: number;
  /** What it has said so far. */
  said(): string;
  /** Has it do what its own commands are: `hold`, `resume`, `sndcode`. */
  command(name: string, params?: string): void;
  close(): Promise<void>;
}

interface BaresipOptions {
  dials?: string;
  account?: string;
  modules?: readonly string[];
  /** A file with a key and a certificate: it listens over TLS too, one port above. */
  certificate?: string;
  /** A WAV file that it speaks, instead of what it hears. */
  speaks?: string;
  /** A directory for WAV files of what it hears (`…-dec.wav`) and says. */
  keepsHeardIn?: string;
  /** It takes commands. */
  obeys?: boolean;
}

/**
 * A phone that answers every call, and says what it hears.
 * @param options `dials`: a URI that it calls once it is ready; `account`: more
 * parameters of its account
 */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  for (let tries = 1; ; tries++) {
    const phone = await tryBaresip(options);
    // It needs two ports, and somebody else may have taken one between the look and its start.
    if (tries === 5 || !phone.said().includes("Address already in use")) return phone;
    await phone.close();
  }
}

async function tryBaresip(options: BaresipOptions): Promise<Baresip> {
  const directory = await mkdtemp(join(tmpdir(), "outreach-baresip-"));
  const port = await freePort();
  const { speaks, keepsHeardIn } = options;
  const controlPort = options.obeys ? await freePort() : null;
  const modules = [
    ...["g711", "aubridge", ...(options.modules ?? [])],
    ...(speaks === undefined ? [] : ["aufile"]),
    ...(keepsHeardIn === undefined ? [] : ["sndfile"]),
    ...(options.obeys ? ["ctrl_tcp"] : []),
  ];
  await writeFile(
    join(directory, "config"),
    [
      `sip_listen 127.0.0.1:${port}`,
      "audio_player aubridge,line",
      `audio_source ${speaks === undefined ? "aubridge,line" : `aufile,${speaks}`}`,
      "audio_alert aubridge,none",
      "module_path /usr/lib/baresip/modules",
      ...modules.map((name) => `module ${name}.so`),
      "module_app account.so",
      "module_app menu.so",
      ...(keepsHeardIn === undefined ? [] : [`snd_path ${keepsHeardIn}`]),
      ...(controlPort === null ? [] : [`ctrl_tcp_listen 127.0.0.1:${controlPort}`]),
      ...(options.certificate === undefined ? [] : [`sip_certificate ${options.certificate}`]),
      "rtp_ports 47000-47999",
      // Else its audio would come from another address of the machine.
      "net_interface 127.0.0.1",
      "",
    ].join("\n"),
  );
  const account = `<sip:phone@127.0.0.1:${port}>;regint=0;answermode=auto${options.account ?? ""}`;
  await writeFile(join(directory, "accounts"), `${account}\n`);
  await writeFile(join(directory, "contacts"), "");
  const dials = options.dials === undefined ? [] : ["-e", `d${options.dials}`];
  const child = spawn("baresip", ["-f", directory, ...dials], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => (said += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(child, "exit");
  await until(() => child.exitCode !== null || said.includes("baresip is ready"), "baresip is ready");
  const control = controlPort === null ? null : connect(controlPort, "127.0.0.1");
  control?.on("data", (bytes: Buffer) => (said += bytes.toString())).on("error", () => undefined);
  return {
    port,
    command(name, params = "") {
      const json = JSON.stringify({ command: name, params });
      control?.write(`${json.length}:${json},`);
    },
    said: () => said,
    async close() {
      control?.destroy();
      child.kill("SIGKILL");
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

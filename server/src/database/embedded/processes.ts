import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode } from "./errors.ts";

const POLL_MS = 10;

/**
 * The name that every process of this cluster's server carries on its command line: the server itself as a setting, its
 * children in their titles (`postgres: <name>: checkpointer`). It is made of the folder's device and inode, so a copy
 * of the folder has another one.
 */
export async function clusterName(clusterDir: string): Promise<string> {
  const { dev, ino } = await stat(clusterDir, { bigint: true });
  return `outreach-${dev}-${ino}`;
}

/**
 * The ids of the running processes of the cluster's server, whoever started it. A process id out of a file says nothing:
 * it may be another program's by now. Command lines can be read without special rights, unlike /proc/<pid>/cwd and exe, which
 * root may not read of another user's process in a container.
 *
 * @param owner the user id they run as
 */
export async function findServerProcesses(name: string, owner: number): Promise<number[]> {
  const found: number[] = [];
  for (const { pid, uid, command } of await listProcesses()) {
    const isServer = command.some((word) => word === `cluster_name=${name}`);
    const isChild = command.join(" ").startsWith(`postgres: ${name}: `);
    if (uid === owner && (isServer || isChild)) found.push(pid);
  }
  return found;
}

/**
 * Sends the signals in turn, each when the time of the one before is up, until `remaining` finds no process any more.
 */
export async function endProcesses(
  remaining: () => Promise<number[]>,
  steps: readonly { signal: NodeJS.Signals | null; waitMs: number }[],
): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    for (const pid of await remaining()) if (signal !== null) kill(pid, signal);
    const deadline = performance.now() + waitMs;
    do {
      if ((await remaining()).length === 0) return true;
      await delay(POLL_MS);
    } while (performance.now() < deadline);
  }
  return false;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

async function listProcesses(): Promise<{ pid: number; uid: number; command: string[] }[]> {
  if (process.platform === "win32") return [];
  if (process.platform !== "linux") return listWithPs();
  const list: { pid: number; uid: number; command: string[] }[] = [];
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8");
      const { uid } = await stat(`/proc/${pid}`);
      list.push({ pid, uid, command: command.split("\0") });
    } catch {
      // It ended meanwhile.
    }
  }
  return list;
}

async function listWithPs(): Promise<{ pid: number; uid: number; command: string[] }[]> {
  const { stdout } = await promisify(execFile)("/bin/ps", ["-axww", "-o", "pid=,uid=,command="], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, uid, command] = /^\s*(\d+)\s+(-?\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), uid: Number(uid), command: command.split(" ") }];
  });
}

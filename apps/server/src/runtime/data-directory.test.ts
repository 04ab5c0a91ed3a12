import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { canTest } from "../../../../testing/can-test.js";
import { openDataDirectory } from "./data-directory.js";

let parent: string;
let path: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-dir-"));
  path = join(parent, "with spaces", "data");
});
afterEach(() => rm(parent, { recursive: true }));

/** Another running process, which a lock file can name. */
async function otherProcess() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  return {
    pid: child.pid,
    async end() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

const startTimesAreKnown = canTest(
  existsSync("/proc/self/stat"),
  "Locks of processes whose pid is used again are not tested: without /proc the start of a process is not known. " +
    "To test them, run this file on Linux.",
);

/** Opens the directory, checks that this process holds its lock, and releases it. */
async function expectToOpen(): Promise<void> {
  const directory = await openDataDirectory(path);
  expect(await readFile(join(path, "muster.pid"), "utf8")).toContain(`${process.pid} `);
  await directory.release();
}

async function startTimeOf(pid: number | undefined): Promise<string> {
  if (!startTimesAreKnown) return "";
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

test("only the owner may read the directory", async () => {
  const directory = await openDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await directory.release();
});

test("a second Muster is refused, and the error names the process that uses the directory", async () => {
  const other = await otherProcess();
  try {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "muster.pid"), `${other.pid} ${await startTimeOf(other.pid)}`);
    await expect(openDataDirectory(path)).rejects.toThrow(
      `Another Muster (process ${other.pid}) is using the data directory ${path}. Stop it first, or start this one with another DATA_DIR.`,
    );
  } finally {
    await other.end();
  }
});

test("the lock of a killed process is ignored", async () => {
  const other = await otherProcess();
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "muster.pid"), `${other.pid} ${await startTimeOf(other.pid)}`);
  await other.end();
  await expectToOpen();
});

test.runIf(startTimesAreKnown)(
  "the lock of a killed process that its parent has not waited for is ignored",
  async () => {
    // The shell replaces itself by a program that never waits for the child that it inherits.
    const script = 'sleep 60 & echo $!; exec node -e "setInterval(() => {}, 1000)"';
    const parentProcess = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = (await once(parentProcess.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    try {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "muster.pid"), `${pid} ${await startTimeOf(pid)}`);
      await expect(openDataDirectory(path)).rejects.toThrow(/Another Muster/);
      process.kill(pid, "SIGKILL");
      await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, "utf8")).toContain(") Z "));
      await expectToOpen();
    } finally {
      parentProcess.kill("SIGKILL");
    }
  },
);

test.runIf(startTimesAreKnown)("a lock whose pid now belongs to another program is ignored", async () => {
  const other = await otherProcess();
  try {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "muster.pid"), `${other.pid} 1`);
    await expectToOpen();
  } finally {
    await other.end();
  }
});

test.each(["", "garbage", "-1 5", "0 0", "99999999999 1"])(
  "a lock file with the content %j is ignored",
  async (content) => {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "muster.pid"), content);
    await expectToOpen();
  },
);

test("after a release the directory can be opened again", async () => {
  await expectToOpen();
  await expectToOpen();
});

test("a secret is generated once, and only the owner may read it", async () => {
  const directory = await openDataDirectory(path);
  const secret = await directory.secret("admin.token");
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(await directory.secret("admin.token")).toBe(secret);
  expect(await directory.secret("secret.key")).not.toBe(secret);
  expect((await stat(join(path, "admin.token"))).mode & 0o777).toBe(0o600);
  await directory.release();
});

test("the error about a directory that cannot be created names it", async () => {
  await writeFile(join(parent, "file"), "");
  await expect(openDataDirectory(join(parent, "file", "data"))).rejects.toThrow(/file\/data cannot be created/);
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canTest } from "../../../../../testing/can-test.js";
import { openDataDirectory } from "./data-directory.js";

let parent: string;
let path: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-dir-"));
  path = join(parent, "with spaces", "data");
});
afterEach(() => rm(parent, { recursive: true }));

const HOLDER = fileURLToPath(new URL("../../testing/hold-data-directory.ts", import.meta.url));

/** Another process that tries to hold the directory, behind `command` if one is given. `says` is its first word. */
async function otherProcess(command: string[] = []) {
  const [program = "", ...args] = [...command, process.execPath, "--import", import.meta.resolve("tsx"), HOLDER, path];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    says: line.toString().trim(),
    async end(how: "exit" | "kill") {
      if (how === "kill") child.kill("SIGKILL");
      else child.stdin.end();
      await exited;
    },
  };
}

async function expectToOpen(): Promise<void> {
  const directory = await openDataDirectory(path);
  directory.release();
}

const REFUSAL =
  /^Another Muster \(process \d+ on .+, since .+Z\) is using the data directory .+data\. Stop it first, or start this one with another DATA_DIR\.$/;

test("only the owner may read the directory", async () => {
  const directory = await openDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  directory.release();
});

test("a second Muster is refused, and the error says who uses the directory and what to do", async () => {
  const directory = await openDataDirectory(path);
  const refused = await otherProcess();
  expect(refused.says).toMatch(REFUSAL);
  expect(refused.says).toContain(`process ${process.pid} on ${hostname()}`);
  await refused.end("exit");
  directory.release();

  const holder = await otherProcess();
  expect(holder.says).toBe("held");
  await expect(openDataDirectory(path)).rejects.toThrow(REFUSAL);
  await holder.end("exit");
  await expectToOpen();
});

test("a second open in the same process is refused", async () => {
  const directory = await openDataDirectory(path);
  await expect(openDataDirectory(path)).rejects.toThrow(REFUSAL);
  directory.release();
});

test("of several that start at the same time, one gets the directory", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => openDataDirectory(path)));
  const opened = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(opened).toHaveLength(1);
  opened[0]?.release();
});

test("the lock of a killed process is free", async () => {
  const holder = await otherProcess();
  expect(holder.says).toBe("held");
  await holder.end("kill");
  await expectToOpen();
});

const ownPids = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
const hasPidNamespaces = canTest(
  spawnSync(ownPids[0] ?? "", [...ownPids.slice(1), "true"]).status === 0,
  "Locks between containers are not tested: this machine does not let the tests create pid namespaces. " +
    "To test them, run this file on Linux as root.",
);

test.runIf(hasPidNamespaces)("a Muster in another container is refused, although both see the same pid", async () => {
  const first = await otherProcess(ownPids);
  expect(first.says).toBe("held");
  const second = await otherProcess(ownPids);
  expect(second.says).toMatch(REFUSAL);
  await second.end("exit");
  await first.end("kill");

  // The container that replaces a killed one sees the pids again that the killed one had.
  const third = await otherProcess(ownPids);
  expect(third.says).toBe("held");
  await third.end("exit");
});

test.each(["", "garbage", "-1 5"])("a lock file with the content %j that nobody holds is free", async (content) => {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "muster.lock"), content);
  await expectToOpen();
});

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
  directory.release();
});

test.each(["", "\n", "0123456789abcdef"])(
  "a secret file that holds only %j is refused and stays as it is",
  async (content) => {
    const directory = await openDataDirectory(path);
    const file = join(path, "secret.key");
    await writeFile(file, content);
    await expect(directory.secret("secret.key")).rejects.toThrow(
      `The file ${file} holds ${content.trim().length} characters, and a secret has at least 32. It was probably cut off when the disk was full. Restore it from a backup`,
    );
    expect(await readFile(file, "utf8")).toBe(content);
    directory.release();
  },
);

test("what was left of a secret that could not be written does not become the secret", async () => {
  const directory = await openDataDirectory(path);
  await writeFile(join(path, "secret.key.new"), "0123");
  expect(await directory.secret("secret.key")).toMatch(/^[0-9a-f]{64}$/);
  expect((await readdir(path)).filter((name) => name.startsWith("secret.key"))).toEqual(["secret.key"]);
  directory.release();
});

test("a secret that several ask for at the same time is the same for all", async () => {
  const directory = await openDataDirectory(path);
  const secrets = await Promise.all(Array.from({ length: 10 }, () => directory.secret("secret.key")));
  expect(new Set(secrets).size).toBe(1);
  directory.release();
});

test("the error about a directory that cannot be created names it", async () => {
  await writeFile(join(parent, "file"), "");
  await expect(openDataDirectory(join(parent, "file", "data"))).rejects.toThrow(
    /file\/data \(DATA_DIR\) cannot be created/,
  );
});

test("a directory of a newer Muster is refused with what to do, and is free again afterwards", async () => {
  await expectToOpen();
  const file = join(path, "format");
  expect(await readFile(file, "utf8")).toBe("1\n");
  await writeFile(file, "2\n");
  await expect(openDataDirectory(path)).rejects.toThrow(
    /was written by a newer Muster \(format 2; this version knows 1\)\. Start that version, or restore a backup/,
  );
  await writeFile(file, "");
  await expect(openDataDirectory(path)).rejects.toThrow(/should hold the number 1/);
  await writeFile(file, "1\n");
  await expectToOpen();
});

test("a directory from before formats were noted is used", async () => {
  await expectToOpen();
  await rm(join(path, "format"));
  await expectToOpen();
  expect(await readFile(join(path, "format"), "utf8")).toBe("1\n");
});

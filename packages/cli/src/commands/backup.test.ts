// @module-tag long
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type CliServer, openCliServer } from "../testing/cli-server.js";

let opened: CliServer;
let folder: string;
let passphraseFile: string;
beforeAll(async () => {
  opened = await openCliServer();
  folder = await mkdtemp(join(tmpdir(), "muster-backup-command-"));
  passphraseFile = join(folder, "passphrase");
  await writeFile(passphraseFile, "a passphrase\n");
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true, force: true });
});

test("a backup is written, described and checked", async () => {
  const file = join(folder, "muster.backup");
  const { code, stdout } = await opened.cli(["backup", file, "--passphrase-file", passphraseFile]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^keys +sealed with the passphrase$/m);
  expect(stdout).toMatch(/^position of default +no records$/m);
  const checked = await opened.json(["backup", "--verify", file, "--passphrase-file", passphraseFile]);
  expect(checked).toMatchObject({ keys: "opened", files: 0, organizations: [{ namespace: "default", position: "" }] });
  expect((await readdir(folder)).filter((name) => name.startsWith("muster"))).toEqual(["muster.backup"]);
});

test("without a passphrase and a terminal the command says what to give, and --no-keys needs none", async () => {
  const file = join(folder, "keyless.backup");
  const refused = await opened.cli(["backup", file]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("give --passphrase-file")]);
  expect((await opened.cli(["backup", file, "--no-keys"])).stdout).toMatch(/^keys +not included/m);
});

test("a passphrase is asked twice on a terminal, and both answers must be the same", async () => {
  const file = join(folder, "asked.backup");
  const different = await opened.cli(["backup", file], { terminal: 80, input: "one passphrase\nanother one\n" });
  expect([different.code, different.stderr]).toEqual([2, expect.stringContaining("The two passphrases differ")]);
});

test("a passphrase that is too short is refused by the server", async () => {
  const environment = { MUSTER_BACKUP_PASSPHRASE: "short" };
  const { code, stderr } = await opened.cli(["backup", join(folder, "short.backup")], { environment });
  expect([code, stderr]).toEqual([1, expect.stringContaining("passphrase")]);
  expect(await readdir(folder)).not.toContain("short.backup");
});

test("a device or a folder is refused, and a file that a killed command left is not written through", async () => {
  // Like a device it is not a file, and everybody may make one.
  const socket = join(folder, "socket");
  const listener = createServer().listen(socket);
  onTestFinished(() => void listener.close());
  await once(listener, "listening");
  for (const path of [socket, folder]) {
    const refused = await opened.cli(["backup", path, "--passphrase-file", passphraseFile]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${path} is not a file.`)]);
  }
  expect((await stat(socket)).isSocket()).toBe(true);

  const elsewhere = join(folder, "elsewhere");
  await writeFile(elsewhere, "untouched");
  const file = join(folder, "linked.backup");
  await symlink(elsewhere, `${file}.part`);
  expect((await opened.cli(["backup", file, "--passphrase-file", passphraseFile])).code).toBe(0);
  expect(await readFile(elsewhere, "utf8")).toBe("untouched");
  expect((await stat(file)).mode & 0o077).toBe(0);
});

test("--verify names a file that is no backup, and one that was cut off", async () => {
  expect((await opened.cli(["backup", "--verify", passphraseFile])).stderr).toContain("its end mark is missing");
  const file = join(folder, "cut.backup");
  await opened.cli(["backup", file, "--passphrase-file", passphraseFile]);
  await writeFile(file, (await readFile(file)).subarray(0, -1));
  const { code, stderr } = await opened.cli(["backup", "--verify", file]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("its end mark is missing")]);
  expect((await opened.cli(["backup", "--verify", join(folder, "missing")])).code).toBe(1);
});

test("--resume-deliveries says that connectors were called already on a server that was not restored", async () => {
  expect((await opened.cli(["restore", "--resume-deliveries"])).stdout).toBe("Connectors were called already.\n");
  expect((await opened.cli(["restore"])).code).toBe(2);
  expect((await opened.cli(["restore", "x", "--resume-deliveries"])).code).toBe(2);
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processesMentioning } from "../../support/processes-mentioning.js";
import { ShellSession } from "./shell-session.js";

let folder: string;
let shell: ShellSession;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/muster-guides-`);
  shell = new ShellSession({ folder, notes: folder, environment: { PATH: process.env.PATH ?? "" } });
});
afterEach(async () => {
  await shell.close();
  await rm(folder, { recursive: true });
});

test("variables stay for later commands, and each command has its own output", async () => {
  expect(await shell.run("name=Ada\necho first")).toEqual({ ok: true, stdout: "first\n", stderr: "" });
  expect(await shell.run('echo "$name"; echo oh >&2')).toEqual({ ok: true, stdout: "Ada\n", stderr: "oh\n" });
});

test.each(["false\necho later", 'echo "$unknown"', "false | true", "exit 0"])(
  "%j ends the session as a failure",
  async (commands) => {
    expect(await shell.run(commands)).toMatchObject({ ok: false, stdout: "" });
    expect(await shell.run("true")).toMatchObject({ ok: false });
  },
);

test("background processes run until the session is closed", async () => {
  await shell.run(`bash -c 'while true; do sleep 0.1; done' ${folder} &`);
  expect(await processesMentioning(folder)).not.toEqual([]);
  await shell.close();
  expect(await processesMentioning(folder)).toEqual([]);
});

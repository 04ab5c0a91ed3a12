import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../testing/free-port.js";
import { commandsPage } from "./documentation/commands-page.js";
import type { DocumentedCommand } from "./documentation/documented-command.js";
import { createOutput } from "./output/output.js";
import { createProgram } from "./program.js";
import { muster } from "./testing/muster.js";

function program(): DocumentedCommand {
  const stream = new PassThrough();
  return createProgram({
    ...createOutput(stream, stream),
    environment: {},
    stdin: stream,
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
  });
}

function everyCommand(
  command: DocumentedCommand,
  path: string[] = [],
): { path: string[]; command: DocumentedCommand }[] {
  return (command.commands as DocumentedCommand[]).flatMap((each) => [
    { path: [...path, each.name()], command: each },
    ...everyCommand(each, [...path, each.name()]),
  ]);
}

const COMMANDS = everyCommand(program());

test("docs/cli.md is up to date (if not: npm run generate)", async () => {
  const page = await readFile(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  expect(page).toBe(commandsPage(program()));
});

test.each(COMMANDS.map(({ path }) => path.join(" ")))("the help of %s has an example of it", async (name) => {
  const { code, stdout } = await muster([...name.split(" "), "--help"]);
  expect(code).toBe(0);
  const [, examples = ""] = stdout.split(/\nExamples?:\n/);
  expect(examples).toContain(`muster ${name}`);
});

test("every option in an example exists", () => {
  for (const { command } of COMMANDS) {
    const known = new Set(["--help"]);
    for (let each = command; each; each = each.parent as DocumentedCommand) {
      for (const { long } of each.options) known.add(long ?? "");
    }
    const used = command.examples.flatMap((line) => line.match(/(?<=\s)--[a-z][a-z-]*/g) ?? []);
    expect(used.filter((option) => !known.has(option) && command.commands.length === 0)).toEqual([]);
  }
});

describe("exit codes", () => {
  test.each([
    [["conector"], /unknown command 'conector'\n\(Did you mean connector\?\)/],
    [["connector", "instal"], /unknown command 'instal'\n\(Did you mean install\?\)/],
    [["org", "list", "--jso"], /unknown option '--jso'\n\(Did you mean --json\?\)/],
    [["org", "create"], /missing required argument 'namespace'/],
    [["connector"], /Usage: muster connector/],
    [[], /Usage: muster/],
    [["status", "--url", "localhost"], /is not the address of a server/],
  ])("%j exits with 2 and says why", async (args, message) => {
    const { code, stdout, stderr } = await muster(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  test("a server that cannot be reached exits with 3", async () => {
    const environment = { MUSTER_URL: `http://127.0.0.1:${await freePort()}`, MUSTER_ADMIN_TOKEN: "x" };
    const { code, stdout, stderr } = await muster(["status"], { environment });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^No server is running at /);
  });

  test("help and the version exit with 0", async () => {
    expect(await muster(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await muster(["help", "connector"])).toMatchObject({ code: 0 });
  });
});

describe("the program that npm links", () => {
  const BIN = fileURLToPath(new URL("../bin", import.meta.url));

  /** Runs it as npm does. */
  async function runBin(folder: string, flags: readonly string[] = []): Promise<{ code: unknown; stderr: string }> {
    const args = [...flags, join(folder, "muster.js"), "restore", "muster.backup"];
    return promisify(execFile)(process.execPath, args).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }: { code: unknown; stderr: string }) => ({ code, stderr }),
    );
  }

  test("says in one sentence that nothing is built yet", async () => {
    const folder = await mkdtemp(join(tmpdir(), "muster-unbuilt-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(BIN, join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "package.json"), '{"type": "module"}');
    expect(await runBin(join(folder, "bin"))).toEqual({
      code: 1,
      stderr: "Muster is not built yet: run `npm run build` in its folder first. `npm start` builds it too.\n",
    });
  });

  test("says in one sentence that Node is too old, before it imports anything", async () => {
    const folder = await mkdtemp(join(tmpdir(), "muster-node-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const old = join(folder, "old.cjs");
    await writeFile(
      old,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });',
    );
    expect(await runBin(BIN, ["--require", old])).toEqual({
      code: 1,
      stderr: "Muster needs Node.js 20.19 or later, and this is 20.18.3.\n",
    });
  });
});

describe("completion", () => {
  const suggested = async (...words: string[]) => {
    const { stdout } = await muster(["completion", "suggest", "--", ...words]);
    return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
  };

  test("suggests commands, options and choices", async () => {
    expect(await suggested("co")).toEqual(["config", "connector", "computed", "completion"]);
    expect(await suggested("connector", "dead-letters", "")).toEqual(["list", "show", "retry", "discard", "help"]);
    expect(await suggested("--org", "acme", "jobs", "list", "--st")).toEqual(["--status"]);
    expect(await suggested("jobs", "list", "--status", "c")).toEqual(["completed", "canceled"]);
    expect(await suggested("search", "")).toEqual(["users", "accounts", "events"]);
    expect(await suggested("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await suggested("connector", "show", "")).toEqual([]);
    expect(await suggested("connector", "--js")).toEqual(["--json"]);
  });

  test.each(["bash", "zsh", "fish"])("prints a script for %s", async (shell) => {
    const { code, stdout } = await muster(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("muster completion suggest --");
    expect(JSON.parse((await muster(["completion", shell, "--json"])).stdout)).toEqual({
      shell,
      script: stdout.trimEnd(),
    });
    expect((await muster(["completion", "tcsh"])).code).toBe(2);
  });

  test("bash takes the words from it", async () => {
    const { stdout: script } = await muster(["completion", "bash"]);
    // Stands for the command: it prints the words that it was asked about.
    const stub = `muster() { printf '%s\\tdescribed\\n' "\${@:4}"; }`;
    const asked = `COMP_WORDS=(muster connector "in"); COMP_CWORD=2; _muster; printf "%s|" "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)("bash", ["-c", `${stub}\n${script}\n${asked}`]);
    expect(stdout).toBe("connector|in|");
  });
});

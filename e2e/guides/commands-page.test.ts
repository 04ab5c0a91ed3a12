// @module-tag long
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { MUSTER, startMuster } from "../support/muster-process.js";
import { CommandWorld } from "./kit/command-world.js";
import { REPOSITORY, readPage } from "./kit/guide-pages.js";
import { readBlocks } from "./kit/read-blocks.js";

// Every example in docs/cli.md, which is made from the commands, is run. The shell reads the line; the command itself
// runs in this process, because starting a hundred programs takes a minute.

const EXAMPLES = readBlocks("docs/cli.md", readPage("docs/cli.md")).blocks.flatMap(({ text }) =>
  text.trim().split("\n"),
);

/** These remove what other examples use, in this order. */
const LAST = [
  / undeploy /,
  / discard /,
  / erase /,
  / segment delete /,
  / platform delete /,
  / uninstall /,
  / org delete /,
];
const placeOf = (example: string) => LAST.findIndex((pattern) => pattern.test(`${example} `));
const ORDERED = EXAMPLES.toSorted((one, other) => placeOf(one) - placeOf(other));

/** Notes the arguments and the input that the shell gives to the command, and prints what the command has printed. */
const STAND_IN = `
muster() { printf '%s\\0' "$@" > args; cat > input; cat output; }
ssh() { cat > /dev/null; }`;

let world: CommandWorld;
beforeAll(async () => {
  world = await CommandWorld.open();
  process.chdir(world.folder);
});
afterAll(() => {
  process.chdir(REPOSITORY);
  return world.close();
});

function inShell(line: string) {
  const shell = promisify(execFile)("bash", ["-eu", "-c", `${STAND_IN}\n${line}`], { cwd: world.folder });
  shell.child.stdin?.end();
  return shell;
}

test.each(ORDERED)("%s", async (example) => {
  if (example.startsWith("muster start")) return startAndStop(example);
  if (example.startsWith("muster connector run")) return runAndStop(example);
  await world.prepareFor(example);
  const line = world.inThisWorld(example);
  await writeFile(join(world.folder, "output"), "");
  await inShell(line);
  const args = (await readFile(join(world.folder, "args"), "utf8")).split("\0").slice(0, -1);
  const input = await readFile(join(world.folder, "input"), "utf8");
  const answer = example.includes("org delete") ? "acme\n" : "y\n";
  const stop = new AbortController();
  const { code, stdout, stderr } = await world.run(args, {
    // The command asks on a terminal alone, and writes data to files and programs alone.
    ...(input === "" && !line.includes("|") ? { terminal: 100, input: answer } : { input }),
    signal: stop.signal,
    onOutput: () => /--(follow|live)/.test(example) && stop.abort(),
  });
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  // What the shell does with the output works, too.
  await writeFile(join(world.folder, "output"), stdout);
  await inShell(line);
});

async function startAndStop(example: string): Promise<void> {
  const dataDir = join(world.folder, "data of start");
  const port = await freePort();
  const args = example.split(" ").slice(1);
  const real = args.map((arg) => (arg === "9000" ? String(port) : arg === "/var/lib/muster" ? dataDir : arg));
  const server = startMuster({ dataDir, port, command: [process.execPath, MUSTER, ...real] });
  try {
    await server.ready();
  } finally {
    server.kill("SIGTERM");
  }
  expect(await server.ended).toBe(0);
  await rm(dataDir, { recursive: true });
}

async function runAndStop(example: string): Promise<void> {
  const port = String(await freePort());
  const args = example.replace("8095", port).split(" ").slice(1);
  const running = spawn(process.execPath, [MUSTER, ...args], { env: world.environment() });
  const ended = once(running, "exit");
  try {
    expect(String(await once(running.stdout, "data"))).toContain(`Listening on http://127.0.0.1:${port}`);
  } finally {
    running.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
}

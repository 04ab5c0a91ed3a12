import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onceInRun } from "../../testing/once-in-run.js";
import { REPOSITORY } from "./muster-process.js";

const run = promisify(execFile);

/** How a clone gets its packages. */
export const INSTALL = "npm ci";

/** Nobody reads what npm says of vulnerabilities and donations, and the packages may be in its cache. */
export const NPM_SETTINGS = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };

/** The environment of a program that calls other machines. The configuration of the tests says what it lacks otherwise. */
export function withNetwork(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_EXTRA_CA_CERTS: process.env.NETWORK_CA_CERTS };
}

/**
 * A clone of the last commit after `npm ci`, before any build. It is made once in a test run: tests that install the same
 * packages take them from here, and nobody changes it.
 */
export function installation(): Promise<string> {
  return onceInRun("installation", async (folder) => {
    await cloneCommit(folder);
    const env = { ...withNetwork(), ...NPM_SETTINGS };
    await run("/bin/sh", ["-c", INSTALL], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  });
}

/** Clones the last commit into an empty folder. */
export async function cloneCommit(folder: string): Promise<void> {
  const { stdout: commit } = await run("git", ["rev-parse", "HEAD"], { cwd: REPOSITORY });
  await run("git", ["clone", "--quiet", "--no-checkout", REPOSITORY, folder]);
  await run("git", ["checkout", "--quiet", "--detach", commit.trim()], { cwd: folder });
}

/**
 * Puts the packages of the installation into `folder` as hard links, if `npm ci` would install the same ones there: it
 * reads nothing but the lock file and the manifest of each workspace. Returns whether it did.
 */
export async function installFrom(installed: string, folder: string): Promise<boolean> {
  const workspaces = await workspacesOf(installed);
  const files = ["package-lock.json", ".npmrc", ...workspaces.map((workspace) => join(workspace, "package.json"))];
  for (const file of files) {
    if ((await readIfThere(join(installed, file))) !== (await readIfThere(join(folder, file)))) return false;
  }
  // A workspace has packages of its own where it needs other versions than the rest.
  const { stdout } = await run("find", [installed, "-name", "node_modules", "-prune"]);
  for (const source of stdout.trim().split("\n")) {
    await run("cp", ["-al", source, join(folder, source.slice(installed.length))]);
  }
  return true;
}

/** The folders of the workspaces and the root, as the lock file lists them. */
async function workspacesOf(folder: string): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as { packages: object };
  return Object.keys(lock.packages).filter((path) => !path.includes("node_modules/"));
}

function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}

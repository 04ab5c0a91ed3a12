import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onceInRun } from "../../testing/once-in-run.js";
import { isLong } from "../../testing/test-length.js";
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
 * packages take them from here, and nobody changes it. Where the command would install what it has installed in this
 * repository before, the packages come from there: another minute would show nothing new. `npm run test:long` runs it.
 */
export function installation(): Promise<string> {
  return onceInRun("installation", async (folder) => {
    await cloneCommit(folder);
    if (!isLong && (await isInstalled()) && (await installFrom(REPOSITORY, folder))) return;
    const env = { ...withNetwork(), ...NPM_SETTINGS };
    await run("/bin/sh", ["-c", INSTALL], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  });
}

/** Whether this repository has the packages of its lock file, all that are meant for this machine and no others, as npm noted. */
async function isInstalled(): Promise<boolean> {
  const noted = await readIfThere(join(REPOSITORY, "node_modules/.package-lock.json"));
  if (noted === undefined) return false;
  const installed = packagesOf(noted);
  const locked = packagesOf(await readFile(join(REPOSITORY, "package-lock.json"), "utf8"));
  // An optional package is installed on some machines only.
  const needed = [...locked].filter(([path, { optional }]) => installed.has(path) || !optional);
  const asText = (packages: Iterable<unknown>) => JSON.stringify([...packages].sort());
  return asText(needed) === asText(installed);
}

function packagesOf(lock: string): Map<string, { optional?: boolean }> {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { optional?: boolean }> };
  return new Map(Object.entries(packages).filter(([path]) => path.includes("node_modules/")));
}

/** Clones the last commit into an empty folder. */
export async function cloneCommit(folder: string): Promise<void> {
  const { stdout: commit } = await run("git", ["rev-parse", "HEAD"], { cwd: REPOSITORY });
  await run("git", ["clone", "--quiet", "--no-checkout", REPOSITORY, folder]);
  await run("git", ["checkout", "--quiet", "--detach", commit.trim()], { cwd: folder });
}

/**
 * Puts the packages of the installation into `folder`, if `npm ci` would install the same ones there: it reads nothing but
 * the lock file and the manifest of each workspace. Returns whether it did.
 */
export async function installFrom(installed: string, folder: string): Promise<boolean> {
  const workspaces = await workspacesOf(installed);
  const files = ["package-lock.json", ".npmrc", ...workspaces.map((workspace) => join(workspace, "package.json"))];
  for (const file of files) {
    if ((await readIfThere(join(installed, file))) !== (await readIfThere(join(folder, file)))) return false;
  }
  const isSameDisk = (await stat(installed)).dev === (await stat(folder)).dev;
  // A workspace has packages of its own where it needs other versions than the rest.
  for (const workspace of workspaces) {
    const source = join(installed, workspace, "node_modules");
    if (!existsSync(source)) continue;
    const packages = (await readdir(source)).filter(isOfNpm);
    if (packages.length === 0) continue;
    const target = join(folder, workspace, "node_modules");
    await mkdir(target);
    // Hard links are many times faster than copies.
    await run("cp", [isSameDisk ? "-al" : "-a", "-t", target, ...packages.map((name) => join(source, name))]);
  }
  return true;
}

/** Tools keep their caches beside the packages, in folders whose names begin with a dot. */
function isOfNpm(name: string): boolean {
  return !name.startsWith(".") || name === ".bin" || name === ".package-lock.json";
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

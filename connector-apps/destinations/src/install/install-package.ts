import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE_FILE } from "../catalogue.js";
import { OWN_FOLDER } from "../package/destination-package.js";
import { InstallationProblem, installationProblem } from "./installation-problem.js";

export { InstallationProblem };

const FILES = ["package.json", "package-lock.json"];
/** Says which lock file is installed. */
const MARK = "installed.txt";
/** Holds the id of the process that installs. */
const LOCK = "installing.txt";
/** The package has no scripts that it needs, and those of its dependencies build parts that it can do without. */
const ARGUMENTS = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
const MAX_KEPT = 20_000;

export interface InstallOptions {
  /** The folder with package.json and the lock file. */
  source: string;
  /** Where the package is installed. */
  folder: string;
  /** The program that writes down what the installed destinations declare, as the arguments of Node. */
  describe: readonly string[];
  /** Told what is done now. */
  onStep(step: string): void;
  /** Ends the installation, which can then be started again. */
  signal?: AbortSignal;
}

/**
 * Installs the package, unless this version is there already, and writes down what the destinations declare: those of the
 * operator may have changed. Returns whether there was anything to do. Throws an `InstallationProblem` that the operator can act on.
 */
export async function installPackage(options: InstallOptions): Promise<boolean> {
  const { folder } = options;
  let isMine = false;
  try {
    mkdirSync(folder, { recursive: true });
    isMine = lock(folder);
    return await installAlone(options);
  } catch (error) {
    if (error instanceof InstallationProblem) throw error;
    throw installationProblem((error as Error).message, folder);
  } finally {
    if (isMine) rmSync(join(folder, LOCK), { force: true });
  }
}

async function installAlone({ source, folder, describe, onStep, signal }: InstallOptions): Promise<boolean> {
  const wanted = versionMark(source);
  const describeAll = () => {
    onStep("Writing down what the destinations declare");
    return runProgram(process.execPath, [...describe, folder], folder, signal);
  };
  if (readText(join(folder, MARK)) === wanted) {
    if (!existsSync(join(folder, OWN_FOLDER))) return false;
    await describeAll();
    return true;
  }
  // Until the end nobody takes it for a whole installation.
  for (const name of [MARK, CATALOGUE_FILE]) rmSync(join(folder, name), { force: true });
  for (const name of FILES) copyFileSync(join(source, name), join(folder, name));
  onStep("Fetching the package from npm's registry: 107 MB");
  await runProgram("npm", ARGUMENTS, folder, signal);
  await describeAll();
  writeFileSync(join(folder, MARK), wanted);
  return true;
}

/** Whether the installation is of the version that comes with this program. */
export function isUpToDate(source: string, folder: string): boolean {
  return readText(join(folder, MARK)) === versionMark(source);
}

function versionMark(source: string): string {
  return createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex");
}

/** Two installations into one folder would destroy each other. The lock of a process that has ended counts no more. */
function lock(folder: string): true {
  const file = join(folder, LOCK);
  const holder = Number(readText(file));
  if (holder > 0 && holder !== process.pid && isRunning(holder)) {
    throw new InstallationProblem(`The package is being installed already, by the process ${holder}.`);
  }
  writeFileSync(file, String(process.pid));
  return true;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs a program to its end. What it writes is shown. */
function runProgram(program: string, args: readonly string[], folder: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ["ignore", "inherit", "pipe"],
      ...(signal ? { signal } : {}),
    });
    let written = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      process.stderr.write(text);
      written = (written + text).slice(-MAX_KEPT);
    });
    child.once("error", (error) => reject(installationProblem(error.message, folder)));
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(installationProblem(written === "" ? `${program} ended with code ${code}.` : written, folder));
    });
  });
}

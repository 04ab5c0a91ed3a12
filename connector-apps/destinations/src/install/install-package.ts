import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE_FILE } from "../catalogue.js";
import { OWN_FOLDER } from "../package/destination-package.js";

const FILES = ["package.json", "package-lock.json"];
/** Says which lock file is installed. */
const MARK = "installed.txt";
/** The package has no scripts that it needs, and those of its dependencies build parts that it can do without. */
const ARGUMENTS = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];

export interface InstallOptions {
  /** The folder with package.json and the lock file. */
  source: string;
  /** Where the package is installed. */
  folder: string;
  /** Writes down what the installed destinations declare, in a process of its own. */
  describe(folder: string): Promise<void>;
}

/**
 * Installs the package, unless this version is there already, and writes down what the destinations declare: those of the
 * operator may have changed. Returns whether there was anything to do.
 */
export async function installPackage({ source, folder, describe }: InstallOptions): Promise<boolean> {
  const wanted = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex");
  if (readMark(folder) === wanted) {
    if (!existsSync(join(folder, OWN_FOLDER))) return false;
    await describe(folder);
    return true;
  }
  mkdirSync(folder, { recursive: true });
  // Until the end nobody takes it for a whole installation.
  for (const name of [MARK, CATALOGUE_FILE]) rmSync(join(folder, name), { force: true });
  for (const name of FILES) copyFileSync(join(source, name), join(folder, name));
  await runProgram("npm", ARGUMENTS, folder);
  await describe(folder);
  writeFileSync(join(folder, MARK), wanted);
  return true;
}

function readMark(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, MARK), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs a program to its end. What it writes is shown. */
export function runProgram(program: string, args: readonly string[], folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`\`${program} ${args.join(" ")}\` ended with code ${code}.`));
    });
  });
}

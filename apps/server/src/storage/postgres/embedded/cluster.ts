import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileLock } from "../../../runtime/disk/file-lock.js";
import { syncFolder } from "../../../runtime/disk/sync-folder.js";
import { writeWholeFile } from "../../../runtime/disk/write-whole-file.js";
import type { Binaries } from "./binaries.js";
import { ownerFor, reducedPrivileges } from "./process-owner.js";
import { serverEnvironment } from "./server-environment.js";

const PASSWORD_BYTES = 24;

export interface ClusterOptions {
  binaries: Binaries;
  dataDir: string;
  lock: FileLock;
  /** Switches off fsync, for databases of a test run. */
  disposable?: boolean | undefined;
}

/**
 * Creates the files of PostgreSQL if there are none, and returns the password of its user.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const madeBy = await readClusterVersion(options.dataDir);
  if (madeBy === undefined) await createCluster(options);
  else requireSameVersion(options, madeBy);
  return readPassword(passwordFile(options.dataDir));
}

/**
 * The major version of the PostgreSQL that made the cluster, or undefined when there is none. Refuses a folder with
 * other files: they may be a damaged cluster, so nothing is deleted.
 */
async function readClusterVersion(dataDir: string): Promise<number | undefined> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length === 0) return undefined;
  const versionFile = join(dataDir, "PG_VERSION");
  const version = await readFile(versionFile, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new Error(
      `The folder ${dataDir} has files, but ${versionFile} cannot be read (${cause.code}), so PostgreSQL cannot use it. Restore the folder from a backup, or move it away to begin with an empty database.`,
      { cause },
    );
  });
  return Number.parseInt(version, 10);
}

function requireSameVersion({ binaries, dataDir }: ClusterOptions, madeBy: number): void {
  if (madeBy === binaries.majorVersion) return;
  const advice =
    madeBy > binaries.majorVersion
      ? "Start the newer Muster that made them, or restore a backup into another DATA_DIR."
      : "Start the older Muster that made them, make a backup with `muster backup`, and restore it into an empty DATA_DIR with this version.";
  throw new Error(
    `The files in ${dataDir} were made by PostgreSQL ${madeBy}, and this Muster comes with PostgreSQL ${binaries.majorVersion}, which cannot read them. ${advice}`,
  );
}

/** Creates the cluster under a temporary name and renames it, so that a crash leaves no partial cluster. */
async function createCluster({ binaries, dataDir, lock, disposable }: ClusterOptions): Promise<void> {
  const owner = await ownerFor(dataDir);
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await writeWholeFile(passwordFile(dataDir), `${randomBytes(PASSWORD_BYTES).toString("hex")}\n`);
  if (owner) {
    await chown(unfinished, owner.uid, owner.gid);
    await chown(passwordFile(dataDir), owner.uid, owner.gid);
  }
  const [command, ...args] = reducedPrivileges(owner, [
    binaries.initdb,
    `--pgdata=${unfinished}`,
    "--username=muster",
    `--pwfile=${passwordFile(dataDir)}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    ...(disposable ? ["--no-sync"] : []),
  ]);
  // initdb inherits the lock: if this process is killed, the next start must wait until initdb has ended.
  const initdb = spawn(command, args, {
    cwd: "/",
    env: serverEnvironment(),
    stdio: ["ignore", "ignore", "pipe", lock.fd],
  });
  let said = "";
  initdb.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(initdb, "close");
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`PostgreSQL cannot create its files in ${dataDir} (exit code ${code}):\n${said}`);
  }
  await rename(unfinished, dataDir);
  await syncFolder(dirname(dataDir));
}

function passwordFile(dataDir: string): string {
  return `${dataDir}.password`;
}

async function readPassword(file: string): Promise<string> {
  const password = (await readFile(file, "utf8")).trim();
  if (password.length < PASSWORD_BYTES * 2) {
    throw new Error(`The file ${file} is too short to be the password of PostgreSQL. Restore it from a backup.`);
  }
  return password;
}

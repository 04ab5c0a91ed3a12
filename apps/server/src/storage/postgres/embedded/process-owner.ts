import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The user that PostgreSQL runs as, since it refuses to run as root. If this process runs as root, it is the owner of
 * the data directory, and for a new directory `postgres`, or `nobody` where there is no such user. No user is created.
 */
export async function ownerFor(dataDir: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const present = await stat(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (present && present.uid !== 0) return { uid: present.uid, gid: present.gid };
  const accounts = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const account = accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  if (!account) {
    throw new Error(
      "PostgreSQL cannot run as root, and there is no user `postgres` or `nobody` to run it as. Start Muster as an ordinary user, or set DATABASE_URL.",
    );
  }
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/**
 * The command that runs `command` as `owner`. It keeps one capability, to pass through folders that others may not open:
 * when Muster runs as root, its files are often in root's home folder or in a temporary one.
 */
export function reducedPrivileges(owner: Owner | undefined, command: [string, ...string[]]): [string, ...string[]] {
  if (!owner) return command;
  const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  return ["setpriv", ...identity, ...traversal(), "--", ...command];
}

let traversalFlags: string[] | undefined;

function traversal(): string[] {
  if (traversalFlags) return traversalFlags;
  const flags = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"];
  try {
    execFileSync("setpriv", [...flags, "true"], { stdio: "ignore" });
    traversalFlags = flags;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      throw new Error(
        "Running as root needs the `setpriv` command (package util-linux) to start PostgreSQL as another user. Install it, start Muster as an ordinary user, or set DATABASE_URL.",
      );
    }
    // The container does not allow this capability. Folders that everybody may open still work.
    traversalFlags = [];
  }
  return traversalFlags;
}

import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ServedPackage } from "../../packages/protocol/src/api/packages.js";
import { NPM_SETTINGS, withNetwork } from "./installation.js";
import { REPOSITORY } from "./muster-process.js";

const run = promisify(execFile);

export interface PackageManifest {
  name: string;
  version: string;
  scripts?: object;
  exports?: object;
  bin?: Record<string, string>;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A package that was downloaded from a server. */
export interface Download extends ServedPackage {
  tarball: Buffer;
  /** The paths in the archive. */
  files: string[];
  manifest: PackageManifest;
}

/** Downloads every package that the server lists. */
export async function downloadPackages(url: string, folder: string): Promise<Map<string, Download>> {
  const answer = await fetch(`${url}/packages`);
  const { packages } = (await answer.json()) as { packages: ServedPackage[] };
  const downloads = packages.map(async (listed): Promise<[string, Download]> => {
    const name = listed.name.replace("@muster/", "");
    const tarball = Buffer.from(await (await fetch(listed.url)).arrayBuffer());
    const file = join(folder, `${name}.tgz`);
    await writeFile(file, tarball);
    const { stdout: list } = await run("tar", ["-tzf", file]);
    const { stdout: manifest } = await run("tar", ["-xzOf", file, "package/package.json"]);
    return [name, { ...listed, tarball, files: list.trim().split("\n"), manifest: JSON.parse(manifest) }];
  });
  return new Map(await Promise.all(downloads));
}

/** Runs npm as its users do. It may call the registry, for the packages of others. */
export async function npm(folder: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run("npm", args, { cwd: folder, env: { ...withNetwork(), ...NPM_SETTINGS } });
  return stdout;
}

/** An empty project in which npm has installed these packages. */
export async function installInto(folder: string, addresses: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await npm(folder, ["install", ...addresses]);
}

/** Links a package of this repository's into `project`, as if it had been installed there. */
export async function linkInstalled(project: string, name: string): Promise<void> {
  const link = join(project, "node_modules", name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(REPOSITORY, "node_modules", name), link);
}

/** The checksum that npm has written into the lock file of a project. */
export async function lockedIntegrity(project: string, name: string): Promise<string | undefined> {
  const lock = JSON.parse(await readFile(join(project, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
  return lock.packages[`node_modules/${name}`]?.integrity;
}

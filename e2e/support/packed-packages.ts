import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "./muster-process.js";

const run = promisify(execFile);

export interface PackageManifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: object;
  bin?: Record<string, string>;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface PackedPackage {
  /** Its folder in the repository. */
  source: string;
  tarball: string;
  manifest: PackageManifest;
}

/** The workspaces that are published, packed by `npm pack` into `folder`. */
export async function packPackages(folder: string): Promise<PackedPackage[]> {
  const packages: PackedPackage[] = [];
  for (const parent of ["packages", "apps"]) {
    for (const name of await readdir(join(REPOSITORY, parent))) {
      const source = join(REPOSITORY, parent, name);
      const manifest = await readManifest(source);
      const tarball = join(folder, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
      if (!manifest.private) packages.push({ source, tarball, manifest });
    }
  }
  const workspaces = packages.flatMap(({ manifest }) => ["-w", manifest.name]);
  await run("npm", ["pack", "--pack-destination", folder, ...workspaces], { cwd: REPOSITORY });
  return packages;
}

/**
 * Installs packed packages into `project` without a registry: they are unpacked, and their dependencies are links to
 * the ones that this repository has installed. A package finds what its manifest declares and nothing else, because
 * each has a `node_modules` of its own, as pnpm lays them out.
 */
export async function installPackages(project: string, packages: readonly PackedPackage[]): Promise<void> {
  const homes = new Map(packages.map(({ manifest: { name } }) => [name, homeOf(project, name)]));
  for (const { source, tarball, manifest } of packages) {
    const home = homeOf(project, manifest.name);
    await mkdir(home, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", home, "--strip-components", "1"]);
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const target = homes.get(dependency) ?? (await findInstalled(dependency, source));
      await link(target, join(project, STORE, manifest.name, "node_modules", dependency));
    }
    await link(home, join(project, "node_modules", manifest.name));
    for (const [command, file] of Object.entries(manifest.bin ?? {})) {
      await chmod(join(home, file), 0o755);
      await link(join(home, file), join(project, "node_modules/.bin", command));
    }
  }
}

/** Links a package of this repository's into `project`, as if it had been installed there. */
export async function linkInstalled(project: string, name: string): Promise<void> {
  await link(await findInstalled(name, REPOSITORY), join(project, "node_modules", name));
}

const STORE = "node_modules/.packed";

function homeOf(project: string, name: string): string {
  return join(project, STORE, name, "node_modules", name);
}

/** The nearest `node_modules` has it, going up from the folder of the package that depends on it. */
async function findInstalled(name: string, from: string): Promise<string> {
  const candidate = join(from, "node_modules", name);
  const isThere = await readManifest(candidate).then(
    () => true,
    () => false,
  );
  if (isThere) return candidate;
  if (dirname(from) === from) throw new Error(`${name} is not installed in this repository.`);
  return findInstalled(name, dirname(from));
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

async function readManifest(folder: string): Promise<PackageManifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

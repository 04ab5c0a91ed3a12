import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { PACKAGE_FOLDER } from "../package-folder.js";

const TEMPLATE = join(PACKAGE_FOLDER, "templates/connector");

/** The template is a working connector; these names in it are replaced. */
const TEMPLATE_SLUG = "my-connector";
const TEMPLATE_TITLE = "My Connector";

/**
 * Writes the code of a new connector into a folder with its name. Returns the folder. `library` is the address from which
 * npm installs `@muster/connector`; never a version, because the name may belong to somebody else in a registry.
 */
export async function scaffoldConnector(name: string, parent: string, library?: string): Promise<string> {
  const slug = slugOf(name);
  const folder = resolve(parent, slug);
  if (await hasFiles(folder)) throw new Error(`${folder} already exists and is not empty.`);
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const target = join(folder, relative(TEMPLATE, source));
    const text = await readFile(source, "utf8");
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text.replaceAll(TEMPLATE_SLUG, slug).replaceAll(TEMPLATE_TITLE, titleOf(slug)));
  }
  if (library !== undefined) await addLibrary(join(folder, "package.json"), library);
  return folder;
}

async function addLibrary(file: string, library: string): Promise<void> {
  const manifest = JSON.parse(await readFile(file, "utf8")) as { dependencies: Record<string, string> };
  const dependencies = { "@muster/connector": library, ...manifest.dependencies };
  await writeFile(file, `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (!/^[a-z]/.test(slug) || slug.length > 60) {
    throw new Error(`"${name}" is not a name for a connector: give up to 60 letters and digits, a letter first.`);
  }
  return slug;
}

/** `my-crm` is shown as `My Crm`. */
function titleOf(slug: string): string {
  return slug.replace(
    /(^|-)([a-z])/g,
    (_match, dash: string, letter: string) => (dash ? " " : "") + letter.toUpperCase(),
  );
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

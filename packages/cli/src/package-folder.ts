import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package. It is searched, because this code runs from `src`, `dist` and `bundle`, at different depths. */
export const PACKAGE_FOLDER = findPackageFolder(fileURLToPath(import.meta.url));

function findPackageFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(join(folder, "package.json")) ? folder : findPackageFolder(folder);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "./package-folder.js";

/** The version of this server, as in its package.json. */
export const VERSION = (JSON.parse(readFileSync(join(PACKAGE_FOLDER, "package.json"), "utf8")) as { version: string })
  .version;

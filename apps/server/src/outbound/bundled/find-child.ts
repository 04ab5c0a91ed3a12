import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PACKAGE_FOLDER } from "../../runtime/package-folder.js";

/** The program of the bundled connectors, and the files that they serve. */
export interface ChildProgram {
  /** The arguments of Node. */
  command: string[];
  connectorsFolder: string;
}

/** Finds the program beside this file in a bundle. A server that runs from its sources runs those of the connectors too. */
export function findChild(): ChildProgram {
  const built = fileURLToPath(new URL("./connector-child.js", import.meta.url));
  if (existsSync(built)) {
    return {
      command: ["--enable-source-maps", built],
      connectorsFolder: fileURLToPath(new URL("./connectors", import.meta.url)),
    };
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return {
    command: ["--conditions=@muster/source", "--import", loader, join(PACKAGE_FOLDER, "src/connector-child/main.ts")],
    connectorsFolder: join(PACKAGE_FOLDER, "../../connector-apps"),
  };
}

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

/** The programs, by their names in a bundle, with their sources. */
const SOURCES = {
  "connector-child": "src/connector-child/main.ts",
  "destinations-child": "src/connector-child/destinations-child.ts",
  "destinations-program": "src/connector-child/destinations-program.ts",
  "describe-destinations": "src/connector-child/describe-destinations.ts",
} as const;
export type ChildName = keyof typeof SOURCES;

/** Finds the program beside this file in a bundle. A server that runs from its sources runs those of the connectors too. */
export function findChild(program: ChildName = "connector-child"): ChildProgram {
  const built = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
  if (existsSync(built)) {
    return {
      command: ["--enable-source-maps", built],
      connectorsFolder: fileURLToPath(new URL("./connectors", import.meta.url)),
    };
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return {
    command: ["--conditions=@muster/source", "--import", loader, join(PACKAGE_FOLDER, SOURCES[program])],
    connectorsFolder: join(PACKAGE_FOLDER, "../../connector-apps"),
  };
}

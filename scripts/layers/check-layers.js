import { fileURLToPath } from "node:url";
import { findBreaks } from "./find-breaks.js";
import { AREAS } from "./layers.js";
import { readImports } from "./read-imports.js";

// A part of `npm run check`. It fails when an import breaks the order of the folders in layers.js.
const imports = readImports(fileURLToPath(new URL("../..", import.meta.url)));
const breaks = findBreaks(imports, AREAS);
for (const sentence of breaks) console.error(sentence);
if (breaks.length > 0) process.exitCode = 1;
else console.log(`${imports.length} imports follow the order of the folders.`);

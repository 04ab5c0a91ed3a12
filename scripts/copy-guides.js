// Copies the guides into the server's package, which serves them. Runs before the package is packed; afterwards the copy
// is removed (--remove), so that the repository has the guides once.

import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const COPY = fileURLToPath(new URL("../apps/server/docs/", import.meta.url));

rmSync(COPY, { recursive: true, force: true });
if (!process.argv.includes("--remove")) {
  cpSync(fileURLToPath(new URL("../docs/", import.meta.url)), COPY, { recursive: true });
}

import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withNetwork } from "../../support/installation.js";

const APP = fileURLToPath(new URL("../hull-connector/", import.meta.url));

/**
 * Installs the published library for connectors and the connector of these tests into `folder`, which is outside of the
 * repository: neither the lock file nor what is published knows of it.
 */
export async function installPublishedLibrary(folder: string, library: string): Promise<void> {
  await cp(APP, folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"private":true}');
  const quick = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"];
  await promisify(execFile)("npm", ["install", library, ...quick], { cwd: folder, env: withNetwork() });
}

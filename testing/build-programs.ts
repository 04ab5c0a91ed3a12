import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../scripts/build-programs.js", import.meta.url));

/** Bundles the programs when a source has changed, so that no test starts an old one. */
export default function setup(): void {
  execFileSync(process.execPath, [SCRIPT], { stdio: "inherit" });
}

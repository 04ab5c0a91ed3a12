import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const SCRIPT = fileURLToPath(new URL("../scripts/build.js", import.meta.url));

/** Bundles the programs and packs the packages when a source has changed, so that no test uses an old one. */
export default function setup(project: TestProject): void {
  build();
  project.onTestsRerun(build);
}

function build(): void {
  execFileSync(process.execPath, [SCRIPT, "server", "command", "packages"], { stdio: "inherit" });
}

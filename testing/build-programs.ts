import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const SCRIPTS = ["build-programs.js", "build-packages.js"];

/** Bundles the programs and packs the packages when a source has changed, so that no test uses an old one. */
export default function setup(project: TestProject): void {
  build();
  project.onTestsRerun(build);
}

function build(): void {
  for (const script of SCRIPTS) {
    const file = fileURLToPath(new URL(`../scripts/${script}`, import.meta.url));
    execFileSync(process.execPath, [file], { stdio: "inherit" });
  }
}

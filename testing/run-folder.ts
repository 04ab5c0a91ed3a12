import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what several test files share. It is removed at the end of the run. */
    runFolder: string;
  }
}

/** Creates the folder of the test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "muster-run-"));
  // Programs that tests start as another user must get through to what is in it.
  await chmod(folder, 0o755);
  project.provide("runFolder", folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

import { join } from "node:path";
import { inject } from "vitest";
import type {} from "../../apps/server/src/testing/global-setup.js";
import { copyCluster } from "../../apps/server/src/testing/postgres-template.js";

/**
 * Makes a data directory in which the first start of a server finds its PostgreSQL created and migrated. `start.test.ts`
 * and the tests of an installation start with no files at all.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  await copyCluster(inject("postgresTemplate"), join(dataDir, "postgres"));
}

import { join } from "node:path";

/** Where the package of destinations is installed. `muster destinations start` finds it in the same way. */
export function destinationsFolder(given: { dataDir: string; destinationsDir: string | undefined }): string {
  return given.destinationsDir ?? join(given.dataDir, "destinations");
}

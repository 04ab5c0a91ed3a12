import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions, MemoryQueue } from "@muster/connector";
import { preview, status } from "./handlers.js";
import { IMPORT_JOB, queueImport, runImport } from "./imports.js";

/** Imports that run at the same time. A long one must not keep those of other connectors waiting. */
export const IMPORTS_AT_ONCE = 10;

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      // The subscription makes new settings take effect at once. There is nothing else to do.
      subscriptions: { shipUpdate: () => {} },
      schedules: { sync: queueImport },
      json: { preview, run: queueImport },
      jobs: { [IMPORT_JOB]: runImport },
      statuses: { status },
    },
    // An import that is lost with the process is made up for by the next schedule.
    queue: new MemoryQueue({ concurrency: IMPORTS_AT_ONCE }),
    ...options,
  });
}

import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions, MemoryQueue } from "@muster/connector";
import { preview, status } from "./handlers.js";
import { IMPORT_JOB, queueImport, runImport } from "./imports.js";

/** Imports that run concurrently, so that a long import does not block the imports of other connectors. */
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
    // The next schedule repeats an import that is lost with the process.
    queue: new MemoryQueue({ concurrency: IMPORTS_AT_ONCE }),
    ...options,
  });
}

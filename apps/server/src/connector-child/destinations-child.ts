import { createHmac } from "node:crypto";
import { join } from "node:path";
import { createDestination, DestinationThreads } from "@muster/destinations";
import { type DestinationHost, destinationOf, isDestinationHost } from "../domain/connectors/bundled-address.js";
import { serveChild } from "./serve-child.js";
import { startDestinationThread } from "./start-destination-thread.js";

// The process of the destinations. Their code runs in threads of this process, one for each.

serveChild(({ connectorsFolder, destinations: { folder, hostSecret }, allowPrivateNetwork }) => {
  const threads = new DestinationThreads({ folder, start: startDestinationThread(allowPrivateNetwork) });
  return {
    isKnown: isDestinationHost,
    hostSecret: (name) => createHmac("sha256", hostSecret).update(name).digest("base64url"),
    load: async (name, options) =>
      createDestination({ folder, threads }, destinationOf(name as DestinationHost), {
        ...options,
        directory: join(connectorsFolder, "destinations"),
      }),
    close: () => threads.close(),
  };
});

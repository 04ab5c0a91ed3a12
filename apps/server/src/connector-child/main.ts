import { join } from "node:path";
import { type BundledName, isBundledName } from "../domain/connectors/bundled-address.js";
import { loadConnector } from "./load-connector.js";
import { serveChild } from "./serve-child.js";

// The process of the connectors that come with Muster.

serveChild(({ connectorsFolder, hostSecrets }) => ({
  isKnown: isBundledName,
  // Only names that are known come here.
  hostSecret: (name) => hostSecrets[name as BundledName],
  load: (name, options) =>
    loadConnector(name as BundledName, { ...options, manifest: join(connectorsFolder, name, "manifest.json") }),
}));

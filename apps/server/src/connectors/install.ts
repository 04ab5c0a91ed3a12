import { checkManifest, defaultSettings, type ManifestProblem, readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { saveToCatalogue } from "../storage/postgres/connectors/catalogue.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Queryable } from "../storage/postgres/database.js";
import { fetchManifest } from "./fetch-manifest.js";

export interface Installed {
  connector: Connector;
  /** What is odd about its manifest. */
  problems: ManifestProblem[];
}

export interface InstallOptions {
  connectors: ConnectorStore;
  database: Queryable;
}

/** Creates a connector from the manifest at `url`, with the defaults of its settings and its initial status. */
export async function installConnector(
  { connectors, database }: InstallOptions,
  organizationId: string,
  url: string,
): Promise<Installed> {
  const { manifest, manifestUrl, sourceUrl } = await fetchManifest(url);
  await saveToCatalogue(database, organizationId, { manifest, manifestUrl, sourceUrl });
  const declared = readManifest(manifest);
  const connector = await connectors.create(organizationId, {
    name: manifest.name,
    manifest,
    manifestUrl,
    sourceUrl,
    settings: defaultSettings(declared.settings),
    privateSettings: defaultSettings(declared.private_settings),
    status: declared.initialStatus,
  });
  return { connector, problems: checkManifest(manifest) };
}

/** Reads the manifest of an installed connector again. Settings keep their values; new ones get their defaults. */
export async function refreshConnector(
  { connectors, database }: InstallOptions,
  connector: Connector,
): Promise<Installed | undefined> {
  const { manifest, manifestUrl, sourceUrl } = await fetchManifest(connector.manifestUrl ?? "");
  await saveToCatalogue(database, connector.organizationId, { manifest, manifestUrl, sourceUrl });
  const declared = readManifest(manifest);
  const updated = await connectors.update(connector.organizationId, connector.id, {
    manifest,
    settings: { ...defaultSettings(declared.settings), ...connector.settings },
    privateSettings: { ...defaultSettings(declared.private_settings), ...connector.privateSettings },
  });
  return updated && { connector: updated, problems: checkManifest(manifest) };
}

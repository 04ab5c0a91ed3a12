import {
  CONNECTOR_STATUSES,
  type Connector,
  type ConnectorStatus,
  type ConnectorStore,
} from "../storage/postgres/connectors.js";
import { fetchManifest, type Manifest } from "./fetch-manifest.js";

/** Creates a connector from the manifest at `url`, with the defaults of its settings and its initial status. */
export async function installConnector(
  connectors: ConnectorStore,
  organizationId: string,
  url: string,
): Promise<Connector> {
  const { manifest, manifestUrl, sourceUrl } = await fetchManifest(url);
  return connectors.create(organizationId, {
    name: manifest.name,
    manifest,
    manifestUrl,
    sourceUrl,
    settings: defaultsOf(manifest.settings),
    privateSettings: defaultsOf(manifest.private_settings),
    status: initialStatus(manifest),
  });
}

/** The defaults that a manifest's list of settings declares. Entries that are not settings are left out. */
export function defaultsOf(settings: unknown): Record<string, unknown> {
  if (!Array.isArray(settings)) return {};
  const declared = settings.filter(
    (entry): entry is { name: string; default: unknown } =>
      typeof entry === "object" && entry !== null && typeof entry.name === "string" && entry.default !== undefined,
  );
  return Object.fromEntries(declared.map(({ name, default: value }) => [name, value]));
}

function initialStatus(manifest: Manifest): ConnectorStatus {
  const { status } = manifest;
  const initial = typeof status === "object" && status !== null && "initial_value" in status && status.initial_value;
  return CONNECTOR_STATUSES.find((known) => known === initial) ?? "ok";
}

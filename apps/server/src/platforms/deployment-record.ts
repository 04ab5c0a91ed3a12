import type { Deployment as DeploymentRecord } from "@muster/protocol/api/platforms";
import { readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { connectorUrl } from "../domain/connectors/connector-url.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { Deployment } from "../domain/platforms/deployment.js";
import type { Platform } from "../domain/platforms/platform.js";
import { platformRecord } from "./platform-record.js";

/**
 * A deployment as the browser library gets it. Anybody can open the page, so it holds only what is public of the
 * connector: not even the names of its private settings.
 */
export function deploymentRecord(
  { id, settings, createdAt, updatedAt }: Deployment,
  connector: Connector,
  platform: Platform,
  organization: Organization,
): DeploymentRecord {
  const { index } = readManifest(connector.manifest);
  const { private_settings: _private, settings_sections: _sections, ...manifest } = connector.manifest;
  return {
    id,
    type: "deployment",
    settings,
    ship: {
      id: connector.id,
      name: connector.name,
      manifest,
      settings: connector.settings,
      resources: manifest.resources ?? [],
      translations: manifest.translations ?? {},
      manifest_url: connector.manifestUrl,
      index: index === undefined ? null : scriptUrl(connector, index),
      purposes: connector.purposes,
    },
    platform: platformRecord(platform),
    organization: { id: organization.id, namespace: organization.namespace, name: organization.name },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** The address of the script. Old connectors name one on another host, where their files are. */
function scriptUrl(connector: Connector, index: string): string | null {
  if (/^https?:\/\//i.test(index)) return URL.canParse(index) ? new URL(index).href : null;
  return connector.sourceUrl === null ? null : connectorUrl(connector, index).href;
}

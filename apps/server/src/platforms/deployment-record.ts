import { readManifest } from "@muster/protocol/manifest";
import { connectorUrl } from "../connectors/connector-url.js";
import type { Connector } from "../domain/connectors/connector.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { Deployment } from "../storage/postgres/objects/deployments.js";
import type { Platform } from "../storage/postgres/objects/platforms.js";

/** Where a connector's client-side code goes on a page when nobody says otherwise. */
export const PLACEMENT_DEFAULTS = { _multi: false, _placement: "bottom", _selector: "body" } as const;

/**
 * A deployment as the browser library gets it, on pages that anybody can open: of the connector only what is public.
 * Its private settings are not even named.
 */
export function deploymentRecord(
  { id, settings, createdAt, updatedAt }: Deployment,
  connector: Connector,
  platform: Platform,
  organization: Organization,
) {
  const { index } = readManifest(connector.manifest);
  const { private_settings: _private, settings_sections: _sections, ...manifest } = connector.manifest;
  return {
    id,
    type: "deployment" as const,
    settings,
    ship: {
      id: connector.id,
      name: connector.name,
      manifest,
      settings: connector.settings,
      resources: manifest.resources ?? [],
      translations: manifest.translations ?? {},
      manifest_url: connector.manifestUrl,
      index: index === undefined || connector.sourceUrl === null ? null : connectorUrl(connector, index).href,
    },
    platform: platformRecord(platform),
    organization: { id: organization.id, namespace: organization.namespace, name: organization.name },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function platformRecord({ id, name, domains, settings, createdAt, updatedAt }: Platform) {
  return {
    id,
    type: "platform" as const,
    name,
    domains,
    settings,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

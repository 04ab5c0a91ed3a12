import { isObject, Refusal } from "@muster/protocol";
import type { Deployment as DeploymentRecord } from "@muster/protocol/api/platforms";
import { checkSettings, type DeclaredSetting, defaultSettings, readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { requireUnlocked } from "../domain/connectors/setup.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { Deployment } from "../domain/platforms/deployment.js";
import { type PageServices, pageServices } from "../domain/platforms/page-services.js";
import type { Platform } from "../domain/platforms/platform.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import {
  createDeployment,
  findDeployment,
  listDeployments,
  mergeDeploymentSettings,
  removeDeployment,
} from "../storage/postgres/objects/deployments.js";
import { findPlatform } from "../storage/postgres/objects/platforms.js";
import { deploymentRecord } from "./deployment-record.js";

export interface DeploymentsOptions {
  database: Database;
  connectors: ConnectorStore;
}

type Settings = Record<string, unknown>;

/** Where a connector's client-side code goes on a page when the settings say nothing else. */
const PLACEMENT_DEFAULTS = { _multi: false, _placement: "bottom", _selector: "body" } as const;

const PLACEMENT_SETTINGS: DeclaredSetting[] = [
  { name: "_multi", type: "boolean" },
  { name: "_placement", type: "string", enum: ["bottom", "top", "before", "after", "replace"] },
  { name: "_selector", type: "string" },
];

/** The connectors that are deployed on platforms. */
export class Deployments {
  readonly #options: DeploymentsOptions;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
  }

  /** The deployments on a platform. Those of disabled connectors are left out. */
  async list(organization: Organization, platform: Platform): Promise<DeploymentRecord[]> {
    const { database, connectors } = this.#options;
    const deployments = await listDeployments(database, organization.id, { platformId: platform.id });
    const byId = new Map((await connectors.list(organization.id)).map((connector) => [connector.id, connector]));
    return deployments.flatMap((deployment) => {
      const connector = byId.get(deployment.connectorId);
      return connector?.enabled ? [deploymentRecord(deployment, connector, platform, organization)] : [];
    });
  }

  /** The services of an organization as every page may know them. */
  async services(organization: Organization): Promise<PageServices> {
    return pageServices(await this.#options.connectors.list(organization.id));
  }

  async find(organization: Organization, id: string): Promise<DeploymentRecord | undefined> {
    const deployment = await findDeployment(this.#options.database, organization.id, id);
    return deployment && this.#describe(organization, deployment);
  }

  /** Deploys a connector on a platform. Undefined when there is no such connector. */
  async create(
    organization: Organization,
    platform: Platform,
    { connectorId, settings }: { connectorId: string; settings: Settings },
  ): Promise<DeploymentRecord | undefined> {
    const { database, connectors } = this.#options;
    const connector = await connectors.find(organization.id, connectorId);
    if (!connector) return undefined;
    const declared = readManifest(connector.manifest).deployment_settings;
    requireSettings(connector, settings, { ...PLACEMENT_DEFAULTS, ...defaultSettings(declared) });
    const deployment = await createDeployment(database, organization.id, {
      platformId: platform.id,
      connectorId,
      settings: { ...PLACEMENT_DEFAULTS, ...defaultSettings(declared), ...settings },
    });
    return deployment && deploymentRecord(deployment, connector, platform, organization);
  }

  /** Merges settings into those of a deployment. Undefined when there is no such deployment. */
  async update(organization: Organization, id: string, settings: unknown): Promise<DeploymentRecord | undefined> {
    const { database, connectors } = this.#options;
    const deployment = await findDeployment(database, organization.id, id);
    const connector = deployment && (await connectors.find(organization.id, deployment.connectorId));
    if (!connector) return undefined;
    if (!isObject(settings)) throw new Refusal("missing_parameters", "body.settings is required: an object.");
    requireSettings(connector, settings, deployment.settings);
    const updated = await mergeDeploymentSettings(database, organization.id, id, settings);
    return updated && this.#describe(organization, updated);
  }

  remove(organizationId: string, id: string): Promise<boolean> {
    return removeDeployment(this.#options.database, organizationId, id);
  }

  async #describe(organization: Organization, deployment: Deployment): Promise<DeploymentRecord | undefined> {
    const { database, connectors } = this.#options;
    const platform = await findPlatform(database, organization.id, deployment.platformId);
    const connector = await connectors.find(organization.id, deployment.connectorId);
    return platform && connector && deploymentRecord(deployment, connector, platform, organization);
  }
}

/** Refuses settings of a deployment that its connector does not declare so, or that are locked until the setup is done. */
function requireSettings({ manifest: given, status }: Connector, settings: Settings, stored: Settings): void {
  const manifest = readManifest(given);
  const problems = checkSettings([...PLACEMENT_SETTINGS, ...manifest.deployment_settings], settings, stored);
  if (problems.length > 0) {
    const details = problems.map(({ path, message }) => ({ path: `body.settings.${path}`, message }));
    const text = details.map(({ path, message }) => `${path} ${message}`).join("; ");
    throw new Refusal("invalid_parameter", `The settings cannot be used: ${text}.`, { details });
  }
  requireUnlocked(manifest, status, [{ group: "deployment_settings", key: "settings", given: settings, stored }]);
}

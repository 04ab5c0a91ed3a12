import { isObject, Refusal } from "@muster/protocol";
import { checkSettings, type DeclaredSetting, readManifest } from "@muster/protocol/manifest";
import { deploymentRecord, platformRecord } from "../../../platforms/deployment-record.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import {
  type Deployment,
  findDeployment,
  mergeDeploymentSettings,
  removeDeployment,
} from "../../../storage/postgres/objects/deployments.js";
import { findPlatform, removePlatform, updatePlatform } from "../../../storage/postgres/objects/platforms.js";
import type { Caller } from "../../auth/caller.js";
import type { ObjectHandler } from "../object-handler.js";

/** Platforms under `/:id`. */
export function platformObjects(database: Database): ObjectHandler {
  return {
    async read(id, { organization }) {
      const platform = await findPlatform(database, organization.id, id);
      return platform && platformRecord(platform);
    },
    async update(id, body, caller) {
      requireOperator(caller);
      const { name, domains, settings } = body as Record<string, unknown>;
      const problems = [
        ...(name === undefined || (typeof name === "string" && name !== "") ? [] : ["name must be a text"]),
        ...(domains === undefined || isTexts(domains) ? [] : ["domains must be a list of texts"]),
        ...(settings === undefined || isObject(settings) ? [] : ["settings must be an object"]),
      ];
      if (problems.length > 0)
        throw new Refusal("invalid_parameter", `The platform cannot be changed: ${problems.join("; ")}.`);
      const platform = await updatePlatform(database, caller.organization.id, id, {
        ...(typeof name === "string" ? { name } : {}),
        ...(isTexts(domains) ? { domains } : {}),
        ...(isObject(settings) ? { settings } : {}),
      });
      return platform && platformRecord(platform);
    },
    async remove(id, caller) {
      requireOperator(caller);
      return removePlatform(database, caller.organization.id, id);
    },
  };
}

/** Deployments under `/:id`. */
export function deploymentObjects(database: Database, connectors: ConnectorStore): ObjectHandler {
  const describe = async (deployment: Deployment, { organization }: Caller) => {
    const platform = await findPlatform(database, organization.id, deployment.platformId);
    const connector = await connectors.find(organization.id, deployment.connectorId);
    return platform && connector && deploymentRecord(deployment, connector, platform, organization);
  };
  return {
    async read(id, caller) {
      const deployment = await findDeployment(database, caller.organization.id, id);
      return deployment && describe(deployment, caller);
    },
    async update(id, body, caller) {
      requireOperator(caller);
      const deployment = await findDeployment(database, caller.organization.id, id);
      const connector = deployment && (await connectors.find(caller.organization.id, deployment.connectorId));
      if (!connector) return undefined;
      const { settings } = body as Record<string, unknown>;
      if (!isObject(settings)) throw new Refusal("missing_parameters", "body.settings is required: an object.");
      requireDeploymentSettings(readManifest(connector.manifest).deployment_settings, settings);
      const updated = await mergeDeploymentSettings(database, caller.organization.id, id, settings);
      return updated && describe(updated, caller);
    },
    async remove(id, caller) {
      requireOperator(caller);
      return removeDeployment(database, caller.organization.id, id);
    },
  };
}

const PLACEMENT_SETTINGS: DeclaredSetting[] = [
  { name: "_multi", type: "boolean" },
  { name: "_placement", type: "string", enum: ["bottom", "top", "before", "after", "replace"] },
  { name: "_selector", type: "string" },
];

/** Refuses settings of a deployment that contradict what its connector declares. */
export function requireDeploymentSettings(
  declared: readonly DeclaredSetting[],
  settings: Record<string, unknown>,
): void {
  const problems = checkSettings([...PLACEMENT_SETTINGS, ...declared], settings);
  if (problems.length === 0) return;
  const details = problems.map(({ path, message }) => ({ path: `body.settings.${path}`, message }));
  const text = details.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new Refusal("invalid_parameter", `The settings cannot be used: ${text}.`, { details });
}

function requireOperator(caller: Caller): void {
  if (caller.kind !== "operator") throw new Refusal("forbidden", "Only the operator may change platforms.");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

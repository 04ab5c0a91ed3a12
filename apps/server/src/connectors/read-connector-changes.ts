import { isObject, Refusal, type RefusalDetail } from "@muster/protocol";
import { PurposeNames } from "@muster/protocol/api/purposes";
import { checkSettings, readManifest, type SettingGroup } from "@muster/protocol/manifest";
import { Value } from "typebox/value";
import type { Connector, ConnectorChanges } from "../domain/connectors/connector.js";
import { requireComplete, requireUnlocked, type SettingsOfGroup } from "../domain/connectors/setup.js";
import type { GivenSettings } from "./mapping-fields.js";

/** Who changes a connector: the operator, or the connector itself. */
export type ChangedBy = "operator" | "connector";

export interface ReadChangesOptions {
  by: ChangedBy;
  /** What is wrong with new fields of mappings. */
  fieldProblems(settings: GivenSettings): Promise<RefusalDetail[]>;
}

const MAX_NAME = 200;

/** The groups of settings that the body of a change may give. */
type WrittenGroup = Exclude<SettingGroup, "deployment_settings">;

/**
 * The changes in the body of `PUT /:connector_id`. Settings from the operator are checked against the manifest, and those
 * in sections that are not enabled are refused. A connector may write anything into its own settings, also during setup,
 * but only the operator enables and disables it.
 */
export async function readConnectorChanges(
  body: unknown,
  connector: Connector,
  { by, fieldProblems }: ReadChangesOptions,
): Promise<ConnectorChanges> {
  const given = isObject(body) ? body : {};
  const problems: RefusalDetail[] = [];
  const manifest = readManifest(connector.manifest);
  const settingsIn = async (group: WrittenGroup, stored: Record<string, unknown>) => {
    const values = given[group];
    if (values === undefined) return undefined;
    if (!isObject(values)) {
      problems.push({ path: `body.${group}`, message: "must be an object" });
      return undefined;
    }
    if (by === "operator") {
      const declared = manifest[group];
      const wrong = checkSettings(declared, values, stored);
      const found = wrong.length > 0 ? wrong : await fieldProblems({ declared, given: values, stored });
      problems.push(...found.map(({ path, message }) => ({ path: `body.${group}.${path}`, message })));
    }
    return values;
  };
  const settings = await settingsIn("settings", connector.settings);
  const privateSettings = await settingsIn("private_settings", connector.privateSettings);
  const { name, enabled, when_disabled: whenDisabled, notify_users_of_account: notifyUsersOfAccount, purposes } = given;
  if (enabled !== undefined && typeof enabled !== "boolean") {
    problems.push({ path: "body.enabled", message: "must be a boolean" });
  }
  // A connector that sends back its record must not rename it: people chose the name.
  const newName = by === "operator" && name !== undefined ? readName(name) : undefined;
  if (newName === "") problems.push({ path: "body.name", message: `must be a text of 1 to ${MAX_NAME} characters` });
  if (notifyUsersOfAccount !== undefined && typeof notifyUsersOfAccount !== "boolean") {
    problems.push({ path: "body.notify_users_of_account", message: "must be a boolean" });
  }
  if (whenDisabled !== undefined && whenDisabled !== "drop" && whenDisabled !== "hold") {
    problems.push({ path: "body.when_disabled", message: "must be drop or hold" });
  }
  if (purposes !== undefined && !Value.Check(PurposeNames, purposes)) {
    problems.push({ path: "body.purposes", message: "must be the names of purposes, each once" });
  }
  if (problems.length > 0) {
    const text = problems.map(({ path, message }) => `${path} ${message}`).join("; ");
    throw new Refusal("invalid_parameter", `The connector cannot be changed: ${text}.`, { details: problems });
  }
  // A connector may send back the record that it has read, in which both values are unchanged.
  const isSwitched =
    (enabled ?? connector.enabled) !== connector.enabled ||
    (whenDisabled ?? connector.whenDisabled) !== connector.whenDisabled;
  if (isSwitched && by !== "operator") {
    throw new Refusal("forbidden", "Only the operator may enable or disable a connector.");
  }
  const served = purposes === undefined ? undefined : [...(purposes as string[])].sort();
  const isServingOthers = served !== undefined && served.join() !== [...connector.purposes].sort().join();
  // A connector that chose its purposes itself would choose none, and be told about everybody.
  if (isServingOthers && by !== "operator") {
    throw new Refusal("forbidden", "Only an owner or the operator may say which purposes a connector serves.");
  }
  if (by === "operator") {
    const groups = [
      groupOf("settings", settings, connector.settings),
      groupOf("private_settings", privateSettings, connector.privateSettings),
    ];
    requireUnlocked(manifest, connector.status, groups);
    if (enabled === true && !connector.enabled) requireComplete(manifest, connector.status, groups);
  }
  return {
    ...(settings ? { settings } : {}),
    ...(privateSettings ? { privateSettings } : {}),
    ...(newName === undefined ? {} : { name: newName }),
    ...(typeof enabled === "boolean" ? { enabled } : {}),
    ...(typeof notifyUsersOfAccount === "boolean" ? { notifyUsersOfAccount } : {}),
    ...(isServingOthers ? { purposes: served } : {}),
    ...(whenDisabled === "drop" || whenDisabled === "hold" ? { whenDisabled } : {}),
  };
}

/** The name without the spaces around it; empty when it cannot be a name. */
function readName(name: unknown): string {
  const text = typeof name === "string" ? name.trim() : "";
  return text.length <= MAX_NAME ? text : "";
}

function groupOf(
  group: WrittenGroup,
  given: Record<string, unknown> | undefined,
  stored: Record<string, unknown>,
): SettingsOfGroup {
  return { group, key: group, given: given ?? {}, stored };
}

import { isObject, Refusal, type RefusalDetail } from "@muster/protocol";
import { checkSettings, type DeclaredSetting, readManifest, type SettingGroup } from "@muster/protocol/manifest";
import type { Connector, ConnectorChanges } from "../domain/connectors/connector.js";

/** Who changes a connector: the operator, or the connector itself. */
export type ChangedBy = "operator" | "connector";

/**
 * The changes in the body of `PUT /:connector_id`. Settings from the operator are checked against the manifest. A
 * connector may write anything into its own settings, but only the operator enables and disables it.
 */
export function readConnectorChanges(body: unknown, connector: Connector, by: ChangedBy): ConnectorChanges {
  const given = isObject(body) ? body : {};
  const problems: RefusalDetail[] = [];
  const manifest = readManifest(connector.manifest);
  const settingsIn = (group: Exclude<SettingGroup, "deployment_settings">) => {
    const values = given[group];
    if (values === undefined) return undefined;
    if (!isObject(values)) {
      problems.push({ path: `body.${group}`, message: "must be an object" });
      return undefined;
    }
    if (by === "operator") problems.push(...settingProblems(group, manifest[group], values));
    return values;
  };
  const settings = settingsIn("settings");
  const privateSettings = settingsIn("private_settings");
  const { enabled, when_disabled: whenDisabled } = given;
  if (enabled !== undefined && typeof enabled !== "boolean") {
    problems.push({ path: "body.enabled", message: "must be a boolean" });
  }
  if (whenDisabled !== undefined && whenDisabled !== "drop" && whenDisabled !== "hold") {
    problems.push({ path: "body.when_disabled", message: "must be drop or hold" });
  }
  if (problems.length > 0) {
    const text = problems.map(({ path, message }) => `${path} ${message}`).join("; ");
    throw new Refusal("invalid_parameter", `The connector cannot be changed: ${text}.`, { details: problems });
  }
  // A connector may put back the record that it has read, which names both as they are.
  const isSwitched =
    (enabled ?? connector.enabled) !== connector.enabled ||
    (whenDisabled ?? connector.whenDisabled) !== connector.whenDisabled;
  if (isSwitched && by !== "operator") {
    throw new Refusal("forbidden", "Only the operator may enable or disable a connector.");
  }
  return {
    ...(settings ? { settings } : {}),
    ...(privateSettings ? { privateSettings } : {}),
    ...(typeof enabled === "boolean" ? { enabled } : {}),
    ...(whenDisabled === "drop" || whenDisabled === "hold" ? { whenDisabled } : {}),
  };
}

function settingProblems(
  group: string,
  declared: readonly DeclaredSetting[],
  values: Record<string, unknown>,
): RefusalDetail[] {
  return checkSettings(declared, values).map(({ path, message }) => ({ path: `body.${group}.${path}`, message }));
}

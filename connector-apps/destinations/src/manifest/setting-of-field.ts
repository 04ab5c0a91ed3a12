import type { SettingEntry } from "@muster/protocol/manifest";
import type { FieldRecord } from "../record/destination-record.js";

const SECRETS = ["password"];

/** The setting that a field of the authentication or of an audience becomes. */
export function settingOfField(field: FieldRecord, prefix = ""): SettingEntry {
  const { key, label, description, type, format, choices, required, isList } = field;
  const isSecret = SECRETS.includes(type) || SECRETS.includes(format ?? "");
  const setting: SettingEntry = {
    name: prefix + key,
    title: label,
    ...(description === "" ? {} : { description }),
    type: isList ? "array" : valueType(type),
    ...(isSecret ? { format: "password" } : {}),
    ...(format === "uri" && !choices && !isList ? { format: "uri" } : {}),
    ...(required === true ? { required: true } : {}),
    ...(isUsableDefault(field) ? { default: field.default } : {}),
  };
  if (choices && choices.length > 0) {
    setting.format = "select";
    setting.enum = choices.map(({ value }) => value);
    setting.enumNames = choices.map((choice) => choice.label);
  }
  if (isList) setting.items = { type: valueType(type) };
  return setting;
}

export function isSecretSetting({ format }: SettingEntry): boolean {
  return format === "password";
}

function valueType(type: string): "boolean" | "number" | "integer" | "string" {
  return type === "boolean" || type === "number" || type === "integer" ? type : "string";
}

/** An empty text is no default: the form would show a value where there is none. One destination has a default outside its choices. */
function isUsableDefault({ default: value, choices }: FieldRecord): boolean {
  if (value === undefined || value === "" || value === null) return false;
  return !choices?.length || choices.some((choice) => choice.value === value);
}

import { asObject } from "../ui/code/json-parts.js";
import { isChoiceValue, type Setting } from "./read-setting.js";

export type ControlKind =
  | "text"
  | "address"
  | "image"
  | "secret"
  | "long-text"
  | "code"
  | "number"
  | "switch"
  | "choice"
  | "color"
  | "segments"
  | "attributes"
  | "events"
  | "tags"
  | "mapping"
  | "table"
  | "parts"
  | "pairs"
  | "json"
  | "sign-in"
  | "button"
  | "heading"
  | "information";

/** Formats that are a control whatever the type is. */
const BY_FORMAT: Readonly<Record<string, ControlKind>> = {
  oauth: "sign-in",
  button: "button",
  action: "button",
  title: "heading",
  information: "information",
  credentials: "information",
  traitMapping: "mapping",
  accountTraitMapping: "mapping",
};

/** Formats that need a text, or a list of texts. */
const BY_TEXT_FORMAT: Readonly<Record<string, ControlKind>> = {
  segment: "segments",
  accountSegment: "segments",
  trait: "attributes",
  accountTrait: "attributes",
  event: "events",
  color: "color",
  uri: "address",
  image: "image",
  password: "secret",
  secret: "secret",
  textarea: "long-text",
  code: "code",
};

/**
 * Which control shows a setting. A value that the control could not show without changing it is shown as JSON: stored
 * values are often not what the manifest declares.
 */
export function controlKind(setting: Setting, value: unknown): ControlKind {
  const kind = declaredKind(setting);
  return canShow(kind, setting, value) ? kind : "json";
}

/** Whether a setting holds a list of values. */
export function isList({ type }: Setting): boolean {
  return type === "array";
}

function declaredKind(setting: Setting): ControlKind {
  const { format = "", type, choices, options, items, parts } = setting;
  const own = BY_FORMAT[format];
  if (own) return own;
  if (format === "tags") return "tags";
  const byText = BY_TEXT_FORMAT[format];
  if (byText && (type === "string" || type === "array")) return byText;
  if (choices.length > 0 || options.loadOptions !== undefined) return "choice";
  if (type === "boolean") return format === "select" ? "choice" : "switch";
  if (type === "number" || type === "integer") return "number";
  if (type === "array") return listKind(items);
  if (type === "object") return parts.length > 0 ? "parts" : "pairs";
  return format === "select" && options.allowCreate ? "choice" : "text";
}

function listKind(items: Setting | undefined): ControlKind {
  if (!items) return "json";
  if (items.type === "object") return items.parts.length > 0 ? "table" : "json";
  return "table";
}

function canShow(kind: ControlKind, setting: Setting, value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  const isText = typeof value === "string";
  switch (kind) {
    case "text":
    case "address":
    case "image":
    case "secret":
    case "long-text":
    case "code":
    case "color":
      return isChoiceValue(value);
    case "number":
      return typeof value === "number" || (isText && !Number.isNaN(Number(value)));
    case "switch":
      return typeof value === "boolean" || value === "true" || value === "false";
    case "choice":
    case "segments":
    case "attributes":
    case "events":
      return isList(setting) ? isListOf(value, isChoiceValue) : isChoiceValue(value);
    case "tags":
      return isListOf(value, (entry) => typeof entry === "string");
    case "mapping":
      return isListOf(value, (entry) => asObject(entry) !== undefined);
    case "table":
      return Array.isArray(value);
    case "parts":
      return asObject(value) !== undefined;
    case "pairs":
      return Object.values(asObject(value) ?? { wrong: {} }).every((entry) => typeof entry === "string");
    default:
      return true;
  }
}

function isListOf(value: unknown, isRight: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

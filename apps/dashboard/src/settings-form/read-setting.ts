import { asObject, asText } from "../ui/code/json-parts.js";

/** A value that somebody can choose, with its label. */
export interface Choice {
  value: ChoiceValue;
  label: string;
  group?: string | undefined;
}
export type ChoiceValue = string | number | boolean;

/** What a button asks before it acts. */
export interface Confirmation {
  text: string;
  button: string | undefined;
  /** What will be done, such as `fetch`, and with what, such as `users`. */
  action: string | undefined;
  entity: string | undefined;
}

export interface SettingOptions {
  loadOptions: string | undefined;
  allowCreate: boolean;
  /** Rows of a mapping may hold expressions in place of names. */
  allowExpression: boolean;
  placeholder: string | undefined;
  source: string | undefined;
  direction: "incoming" | "outgoing";
  showOverwriteToggle: boolean;
  /** The name of the service to sign in to. */
  serviceName: string | undefined;
  confirm: Confirmation | undefined;
  fireAndForget: boolean;
  standard: Choice[];
  itemsPerRow: number | undefined;
}

/** A setting, a column of a table or a part of an object, with everything that the form needs. */
export interface Setting {
  name: string;
  title: string;
  description: string | undefined;
  type: string;
  format: string | undefined;
  /** The values to choose from; empty when any value is right. */
  choices: Choice[];
  /** The schema of the entries of a list. */
  items: Setting | undefined;
  /** The parts of an object. */
  parts: Setting[];
  default: unknown;
  isRequired: boolean;
  url: string | undefined;
  minimum: number | undefined;
  maximum: number | undefined;
  options: SettingOptions;
}

type Raw = Readonly<Record<string, unknown>>;

/** Reads a setting as its author wrote it. Authors leave out titles and types, and write numbers and flags as text. */
export function readSetting(raw: Raw, name: string): Setting {
  const items = asObject(raw.items);
  const required = Array.isArray(raw.required) ? raw.required : [];
  return {
    name,
    title: asText(raw.title) ?? name,
    description: asText(raw.description),
    type: asText(raw.type) ?? guessType(raw),
    format: asText(raw.format),
    choices: choicesIn(raw) ?? (items ? choicesIn(items) : undefined) ?? [],
    items: items && readSetting(items, ""),
    parts: Object.entries(asObject(raw.properties) ?? {}).flatMap(([key, part]) => {
      const schema = asObject(part);
      if (!schema) return [];
      return [readSetting(required.includes(key) ? { ...schema, required: true } : schema, key)];
    }),
    default: raw.default,
    isRequired: isTrue(raw.required),
    url: asText(raw.url),
    minimum: asNumber(raw.minimum),
    maximum: asNumber(raw.maximum),
    options: readOptions(raw),
  };
}

function readOptions(raw: Raw): SettingOptions {
  const options = asObject(raw.options) ?? {};
  const confirm = asObject(options.confirm);
  return {
    loadOptions: asText(options.loadOptions),
    // Some authors write these two beside `options`.
    allowCreate: isTrue(options.allowCreate ?? raw.allowCreate),
    allowExpression: isTrue(options.allowExpression),
    placeholder: asText(options.placeholder) ?? asText(raw.placeholder),
    source: asText(options.source),
    direction: options.direction === "incoming" ? "incoming" : "outgoing",
    showOverwriteToggle: isTrue(options.showOverwriteToggle),
    serviceName: asText(options.name),
    confirm: confirm && readConfirmation(confirm),
    fireAndForget: isTrue(options.fireAndForget) || isTrue(confirm?.fireAndForget),
    standard: readStandard(options.standard),
    itemsPerRow: asNumber(options.itemsPerRow),
  };
}

function readConfirmation(confirm: Raw): Confirmation {
  const action = asText(confirm.action);
  const entity = asText(confirm.entity);
  const words = [action, entity].filter((word) => word !== undefined).join(" ");
  const question = words === "" ? "Are you sure?" : `${words[0]?.toUpperCase()}${words.slice(1)}?`;
  return { text: asText(confirm.text) ?? question, button: asText(confirm.button), action, entity };
}

function choicesIn(raw: Raw): Choice[] | undefined {
  if (Array.isArray(raw.enum)) {
    const names: unknown[] = Array.isArray(raw.enumNames) ? raw.enumNames : [];
    return raw.enum.flatMap((value: unknown, index) =>
      isChoiceValue(value) ? [{ value, label: asText(names[index]) ?? String(value) }] : [],
    );
  }
  if (!Array.isArray(raw.oneOf)) return undefined;
  const choices = raw.oneOf.flatMap((one: unknown) => {
    const { const: value, title } = asObject(one) ?? {};
    return isChoiceValue(value) ? [{ value, label: asText(title) ?? String(value) }] : [];
  });
  return choices.length > 0 ? choices : undefined;
}

function readStandard(given: unknown): Choice[] {
  if (Array.isArray(given)) {
    return given.flatMap((entry: unknown) => {
      const { value, label } = asObject(entry) ?? {};
      return isChoiceValue(value) ? [{ value, label: asText(label) ?? String(value) }] : [];
    });
  }
  return Object.entries(asObject(given) ?? {}).map(([value, label]) => ({ value, label: asText(label) ?? value }));
}

function guessType(raw: Raw): string {
  if (asObject(raw.properties)) return "object";
  return asObject(raw.items) ? "array" : "string";
}

export function isChoiceValue(value: unknown): value is ChoiceValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

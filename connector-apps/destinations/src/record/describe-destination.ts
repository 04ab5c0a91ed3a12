import type { ActionDefinition, Definition, Field } from "../package/definition.js";
import { categoriesOf } from "./categories.js";
import type { ActionRecord, DestinationRecord, FieldRecord } from "./destination-record.js";

/** Notes of the package about how it runs elsewhere, such as "(Actions)". They say nothing to people here. */
const NOISE = /^Actions\s+|\s*\((?:actions?|cloud|cloud destination)\)|\s+(?:Cloud Mode|Cloud|Actions)(?=\s|$)/gi;

const MAX_SUMMARY = 200;
const SHOWN_ACTIONS = 4;

/** Writes down what a definition declares. What it does is left out. */
export function describeDestination(name: string, definition: Definition, version: string): DestinationRecord {
  const { authentication, actions, presets = [], audienceConfig, audienceFields = {} } = definition;
  const title = definition.name.replace(NOISE, "").trim() || definition.name;
  return {
    name,
    title,
    summary: summaryOf(title, definition),
    categories: categoriesOf(name, audienceConfig !== undefined),
    version,
    scheme: schemeOf(authentication?.scheme),
    canTest: authentication?.testAuthentication !== undefined,
    canRefresh: authentication?.refreshAccessToken !== undefined,
    settings: describeFields(authentication?.fields),
    actions: Object.entries(actions).flatMap(([key, action]) => (action.hidden ? [] : [describeAction(key, action)])),
    presets: presets.map(({ name: title, partnerAction, type, subscribe, eventSlug, mapping }) => ({
      ...(title === undefined ? {} : { name: title }),
      partnerAction,
      ...(type === undefined ? {} : { type }),
      ...(subscribe === undefined ? {} : { subscribe }),
      ...(eventSlug === undefined ? {} : { eventSlug }),
      ...(mapping === undefined ? {} : { mapping }),
    })),
    ...(audienceConfig
      ? {
          audience: {
            isCreated: audienceConfig.createAudience !== undefined,
            fields: describeFields(audienceFields),
          },
        }
      : {}),
  };
}

/** Most definitions describe themselves in no word, or in a page. */
function summaryOf(title: string, { description = "", actions }: Definition): string {
  const text = description.trim();
  if (text !== "" && text.length <= MAX_SUMMARY) return text;
  const titles = Object.values(actions).map((action) => action.title.toLowerCase());
  const shown = titles.slice(0, SHOWN_ACTIONS);
  return `Sends users, events and segments to ${title}: ${shown.join(", ")}${titles.length > shown.length ? " and more" : ""}.`;
}

function schemeOf(scheme: string | undefined): DestinationRecord["scheme"] {
  if (scheme === "oauth2" || scheme === "oauth-managed") return "oauth2";
  return scheme === "basic" || scheme === "custom" ? scheme : "none";
}

function describeAction(key: string, action: ActionDefinition): ActionRecord {
  // The other hooks are for rows of a warehouse, which Muster does not send.
  const { onMappingSave: hook } = action.hooks ?? {};
  return {
    key,
    title: action.title,
    description: action.description ?? "",
    trigger: action.defaultSubscription ?? "",
    fields: describeFields(action.fields),
    ...(action.syncMode ? { syncMode: action.syncMode } : {}),
    ...(hook ? { stepOnSave: hook.label ?? action.title } : {}),
    hasBatch: action.performBatch !== undefined,
  };
}

function describeFields(fields: Readonly<Record<string, Field>> = {}): FieldRecord[] {
  return Object.entries(fields).map(([key, field]) => {
    const choices = field.choices?.map(describeChoice);
    return {
      key,
      label: field.label ?? key,
      description: field.description ?? "",
      type: field.type,
      isList: field.multiple === true,
      required: field.required ?? false,
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(choices ? { choices } : {}),
      ...(field.format === undefined ? {} : { format: field.format }),
      ...(field.properties ? { parts: describeFields(field.properties) } : {}),
      isDynamic: field.dynamic !== undefined && field.dynamic !== false,
      isHidden: field.unsafe_hidden === true,
      isOpen: field.type === "object" && !field.defaultObjectUI?.startsWith("object"),
    };
  });
}

/** Definitions give a choice as a value, or with a label. */
function describeChoice(choice: unknown): { value: string | number; label: string } {
  if (typeof choice === "object" && choice !== null && "value" in choice) {
    const { value, label } = choice as { value: string | number; label?: string };
    return { value, label: label ?? String(value) };
  }
  const value = typeof choice === "number" ? choice : String(choice);
  return { value, label: String(value) };
}

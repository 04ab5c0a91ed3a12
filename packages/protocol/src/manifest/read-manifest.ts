import { isObject } from "../helpers/is-object.js";
import { nonEmptyText } from "../helpers/non-empty-text.js";
import { readFlag, readOptions } from "./check-options.js";
import { CONNECTOR_STATUSES, type ConnectorStatus } from "./manifest.js";
import type { SettingOptions } from "./setting-entry.js";

export const SETTING_GROUPS = ["settings", "private_settings", "deployment_settings"] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

/** A setting of a manifest. It has a name, and options without problems; the rest of its schema is unchecked. */
export interface DeclaredSetting extends Record<string, unknown> {
  name: string;
  format?: string;
  options?: SettingOptions;
}

export interface DeclaredSubscription {
  url: string;
  /** The channels it receives, or undefined when it receives all of them. */
  channels: string[] | undefined;
  /** By channel: paths of the settings that list segments. Only messages about members of these segments are sent. */
  segmentSettings: Record<string, string[]>;
  /** By channel: paths of the settings that list events. Only these events are sent. */
  eventSettings: Record<string, string[]>;
}

/** An endpoint that Muster calls regularly: every few minutes, or by a cron expression. */
export interface DeclaredSchedule {
  url: string;
  type: "interval" | "cron";
  value: string | undefined;
  /** Path of the setting that holds the value. */
  valueFrom: string | undefined;
  default: string | undefined;
}

export interface DeclaredPage {
  url: string;
  title: string | undefined;
  size: "small" | "large" | "borderless" | undefined;
  editable: boolean;
  setup: boolean;
  workspace: boolean;
}

export interface DeclaredEndpoint {
  url: string;
  name: string | undefined;
  /** Calls of it change nothing, as those of a preview. */
  reads?: true;
}

/** An endpoint that takes the addresses of files. */
export interface DeclaredBatch {
  url: string;
  /** What its files hold: `user:update` for users, `account:update` for accounts. Undefined when it does not say. */
  channels: string[] | undefined;
}

export interface DeclaredSection {
  title: string;
  description: string | undefined;
  step: string | undefined;
  properties: string[];
}

/** The parts of a manifest that Muster uses. Every key is set, also those that the manifest leaves out. */
export interface ReadManifest {
  name: string | undefined;
  version: string | undefined;
  description: string | undefined;
  picture: string | undefined;
  readme: string | undefined;
  index: string | undefined;
  admin: string | undefined;
  ui: boolean;
  tags: string[];
  settings: DeclaredSetting[];
  private_settings: DeclaredSetting[];
  deployment_settings: DeclaredSetting[];
  settings_sections: DeclaredSection[];
  subscriptions: DeclaredSubscription[];
  batches: DeclaredBatch[];
  json: DeclaredEndpoint[];
  incoming: DeclaredEndpoint[];
  html: DeclaredPage[];
  tabs: DeclaredPage[];
  schedules: DeclaredSchedule[];
  statuses: DeclaredSchedule[];
  initialStatus: ConnectorStatus;
}

/** Reads a manifest as its author wrote it. Leaves out invalid parts and never throws. */
export function readManifest(value: unknown): ReadManifest {
  const given = isObject(value) ? value : {};
  const statuses = [...objects(given.statuses), ...(isObject(given.status) ? [given.status] : [])];
  const initial = statuses.map(({ initial_value }) => initial_value);
  return {
    name: nonEmptyText(given.name),
    version: nonEmptyText(given.version),
    description: nonEmptyText(given.description),
    picture: nonEmptyText(given.picture) ?? nonEmptyText(given.logo),
    readme: nonEmptyText(given.readme),
    index: nonEmptyText(given.index),
    admin: nonEmptyText(given.admin),
    ui: given.ui !== false,
    tags: texts(given.tags),
    settings: settingsOf(given.settings),
    private_settings: settingsOf(given.private_settings),
    deployment_settings: settingsOf(given.deployment_settings),
    settings_sections: objects(given.settings_sections).map((section) => ({
      title: nonEmptyText(section.title) ?? "",
      description: nonEmptyText(section.description),
      step: nonEmptyText(section.step),
      properties: texts(section.properties),
    })),
    subscriptions: withUrl(given.subscriptions).map(subscriptionOf),
    batches: withUrl(given.batches).map(({ url, channels }) => ({ url, channels: channelNames(objects(channels)) })),
    json: withUrl(given.json).map(endpointOf),
    incoming: withUrl(given.incoming).map(endpointOf),
    html: withUrl(given.html).map(pageOf),
    tabs: withUrl(given.tabs).map(pageOf),
    schedules: withUrl(given.schedules).flatMap(scheduleOf),
    // Many manifests name the same endpoint under both keys; it is called only once.
    statuses: uniqueByUrl(withUrl(statuses).flatMap(scheduleOf)),
    initialStatus: CONNECTOR_STATUSES.find((status) => initial.includes(status)) ?? "ok",
  };
}

type WithUrl = Record<string, unknown> & { url: string };

function subscriptionOf(given: WithUrl): DeclaredSubscription {
  const conditions = isObject(given.conditions) ? given.conditions : {};
  const channels = objects(given.channels);
  const only = isObject(conditions.channels) ? conditions.channels.only : undefined;
  const segments = isObject(conditions.segments) ? conditions.segments : {};
  return {
    url: given.url,
    channels: Array.isArray(only) ? texts(only) : channelNames(channels),
    segmentSettings: Object.fromEntries(Object.entries(segments).map(([channel, paths]) => [channel, textsOf(paths)])),
    eventSettings: Object.fromEntries(
      channels.flatMap((entry) => {
        const channel = nonEmptyText(entry.channel);
        const paths = entry["events-whitelist"];
        return channel === undefined || paths === undefined ? [] : [[channel, textsOf(paths)]];
      }),
    ),
  };
}

function channelNames(channels: Record<string, unknown>[]): string[] | undefined {
  const names = texts(channels.map(({ channel }) => channel));
  return names.length > 0 ? names : undefined;
}

function scheduleOf(given: WithUrl): DeclaredSchedule[] {
  const value = numberOrText(given.value);
  const valueFrom = nonEmptyText(given.value_from);
  if (value === undefined && valueFrom === undefined) return [];
  return [
    {
      url: given.url,
      type: given.type === "cron" ? "cron" : "interval",
      value,
      valueFrom,
      default: numberOrText(given.default),
    },
  ];
}

function pageOf(given: WithUrl): DeclaredPage {
  const { size } = given;
  return {
    url: given.url,
    title: nonEmptyText(given.title),
    size: size === "small" || size === "large" || size === "borderless" ? size : undefined,
    editable: given.editable === true,
    setup: given.setup === true,
    workspace: given.workspace === true,
  };
}

function endpointOf(given: WithUrl): DeclaredEndpoint {
  const options = isObject(given.options) ? given.options : {};
  return { url: given.url, name: nonEmptyText(given.name), ...(options.reads === true ? { reads: true } : {}) };
}

function settingsOf(given: unknown): DeclaredSetting[] {
  return objects(given).flatMap((entry) => {
    const name = nonEmptyText(entry.name);
    const format = nonEmptyText(entry.format);
    if (name === undefined) return [];
    const { format: _format, options, required, ...rest } = entry;
    return [
      {
        ...rest,
        name,
        ...(format === undefined ? {} : { format }),
        ...(isObject(options) ? { options: readOptions(options) } : {}),
        ...(required === undefined ? {} : { required: readFlag(required) }),
      },
    ];
  });
}

function uniqueByUrl(schedules: DeclaredSchedule[]): DeclaredSchedule[] {
  return [...new Map(schedules.map((schedule) => [schedule.url, schedule])).values()];
}

function withUrl(given: unknown): WithUrl[] {
  return objects(given).flatMap((entry) => {
    const url = nonEmptyText(entry.url);
    return url === undefined ? [] : [{ ...entry, url }];
  });
}

function objects(given: unknown): Record<string, unknown>[] {
  return Array.isArray(given) ? given.filter(isObject) : [];
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((entry) => nonEmptyText(entry) !== undefined) : [];
}

/** A list of texts, or one text alone. */
function textsOf(given: unknown): string[] {
  return typeof given === "string" ? [given] : texts(given);
}

function numberOrText(given: unknown): string | undefined {
  return typeof given === "number" ? String(given) : nonEmptyText(given);
}

import { CHANNELS } from "@muster/protocol";
import type { Manifest } from "@muster/protocol/manifest";
import { type RequestHandler, Router } from "express";
import { type NotificationHandlerParts, notificationHandler } from "../notifications/notification-handler.js";
import type { AnyMessageHandler, ChannelHandler, NotificationOptions } from "../notifications/notification-options.js";
import type { ConnectorHandlers } from "./connector-handlers.js";
import { pathOf } from "./path-of.js";
import { type EndpointHandler, type HandlerOptions, requestHandler } from "./request-handler.js";
import { type WireSettingsParts, wireSettings } from "./wire-settings.js";

/** The sections of a manifest that declare endpoints, with the default options of each. */
const SECTIONS = [
  { section: "json", handlers: "json", defaults: {}, isForPages: true },
  { section: "incoming", handlers: "incoming", defaults: {}, isForPages: false },
  { section: "html", handlers: "html", defaults: { format: "html" }, isForPages: true },
  { section: "tabs", handlers: "html", defaults: { format: "html" }, isForPages: true },
  { section: "schedules", handlers: "schedules", defaults: {}, isForPages: false },
  { section: "statuses", handlers: "statuses", defaults: { respondWithError: true }, isForPages: false },
] as const satisfies readonly {
  section: string;
  handlers: keyof ConnectorHandlers;
  defaults: HandlerOptions;
  isForPages: boolean;
}[];

// The channel of the batch endpoint that a tag implies when the manifest does not list it.
const TAGGED_BATCHES = { batch: "user:update", "batch-accounts": "account:update" } as const;

interface EndpointEntry {
  url: string;
  handler?: string;
  options?: HandlerOptions;
}

/**
 * Routes for every endpoint that a manifest declares, with the handlers that it names. Throws an error that lists all
 * missing handlers when there are any.
 */
export function wireManifest(
  manifest: Manifest,
  handlers: ConnectorHandlers,
  parts: NotificationHandlerParts & WireSettingsParts,
  { allowCrossOrigin, ...notificationDefaults }: NotificationOptions & { allowCrossOrigin: RequestHandler },
): Router {
  const router = Router();
  const missing = wireSettings(router, manifest, handlers, parts);
  for (const { section, handlers: group, defaults, isForPages } of SECTIONS) {
    for (const { url, handler: name, options } of entriesOf(manifest, section)) {
      // Older manifests declare endpoints for which the application has its own routes.
      if (name === undefined) continue;
      const handle: EndpointHandler | undefined = handlers[group]?.[name];
      if (!handle) {
        missing.push(`${section}: ${name}`);
        continue;
      }
      const answer = requestHandler(parts.contexts, handle, { ...defaults, ...options }, { isForPages });
      router.all(pathOf(url), ...(section === "json" ? [allowCrossOrigin] : []), ...answer);
    }
  }
  for (const { url, channels } of [...subscriptionsOf(manifest), ...batchesOf(manifest)]) {
    const found = new Map<string, ChannelHandler>();
    for (const { channel, group, name, isNamed, options } of channels) {
      const handler = handlerOf(handlers, group, name);
      if (handler) found.set(channel, { handler, options: { ...notificationDefaults, ...options } });
      else if (isNamed) missing.push(`${group}: ${name}`);
    }
    if (found.size > 0) router.use(pathOf(url), notificationHandler(parts, found, pathOf(url)));
  }
  if (missing.length > 0) {
    throw new Error(`The manifest names handlers that were not given: ${missing.join(", ")}.`);
  }
  return router;
}

interface DeclaredChannel {
  channel: string;
  group: "subscriptions" | "batches";
  name: string;
  /** Whether the manifest gives the handler's name. Otherwise the handler has the channel's name and may be missing. */
  isNamed: boolean;
  options: NotificationOptions;
}

function subscriptionsOf({ subscriptions = [] }: Manifest): { url: string; channels: DeclaredChannel[] }[] {
  return subscriptions.map(({ url, channels, conditions }) => {
    const listed = channels ?? (conditions?.channels?.only ?? ALL_CHANNELS).map((channel) => ({ channel }));
    return { url, channels: listed.map((entry) => declaredChannel(entry, "subscriptions")) };
  });
}

function batchesOf({ batches = [], tags = [] }: Manifest): { url: string; channels: DeclaredChannel[] }[] {
  const listed = batches.map(({ url, channels = [] }) => ({
    url,
    channels: channels.map((entry) => declaredChannel(entry, "batches")),
  }));
  const tagged = Object.entries(TAGGED_BATCHES)
    .filter(([tag]) => tags.includes(tag) && !listed.some(({ url }) => pathOf(url) === `/${tag}`))
    .map(([tag, channel]) => ({ url: `/${tag}`, channels: [declaredChannel({ channel }, "batches")] }));
  return [...listed, ...tagged];
}

function declaredChannel(
  { channel, handler, options }: { channel: string; handler?: string; options?: NotificationOptions },
  group: DeclaredChannel["group"],
): DeclaredChannel {
  return { channel, group, name: handler ?? channel, isNamed: handler !== undefined, options: options ?? {} };
}

/** A batch without its own handler is handled by the subscription's handler of the same name. */
function handlerOf(
  handlers: ConnectorHandlers,
  group: DeclaredChannel["group"],
  name: string,
): AnyMessageHandler | undefined {
  return handlers[group]?.[name] ?? (group === "batches" ? handlers.subscriptions?.[name] : undefined);
}

// `segment` channels are about both kinds of segments.
const ALL_CHANNELS: readonly string[] = [...CHANNELS, "segment:update", "segment:delete"];

function entriesOf(manifest: Manifest, section: (typeof SECTIONS)[number]["section"]): EndpointEntry[] {
  if (section !== "statuses") return manifest[section] ?? [];
  return [...(manifest.status ? [manifest.status] : []), ...(manifest.statuses ?? [])];
}

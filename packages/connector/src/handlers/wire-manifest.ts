import type { Manifest } from "@muster/protocol/manifest";
import { type RequestHandler, Router } from "express";
import { allowCrossOrigin } from "../app/allow-cross-origin.js";
import { type NotificationHandlerParts, notificationHandler } from "../notifications/notification-handler.js";
import type { AnyMessageHandler, ChannelHandler, NotificationOptions } from "../notifications/notification-options.js";
import type { ConnectorHandlers } from "./connector-handlers.js";
import { type EndpointHandler, type HandlerOptions, requestHandler } from "./request-handler.js";

/** Endpoints of the manifest, with what they do unless their own options say otherwise. */
const SECTIONS = [
  { section: "json", handlers: "json", defaults: {}, before: [allowCrossOrigin] },
  { section: "incoming", handlers: "incoming", defaults: {}, before: [] },
  { section: "html", handlers: "html", defaults: { format: "html" }, before: [] },
  { section: "tabs", handlers: "html", defaults: { format: "html" }, before: [] },
  { section: "schedules", handlers: "schedules", defaults: {}, before: [] },
  { section: "statuses", handlers: "statuses", defaults: { respondWithError: true }, before: [] },
] as const satisfies readonly {
  section: string;
  handlers: keyof ConnectorHandlers;
  defaults: HandlerOptions;
  before: readonly RequestHandler[];
}[];

// What a connector with one of these tags is called on when its manifest does not list its batch endpoints.
const TAGGED_BATCHES = { batch: "user:update", "batch-accounts": "account:update" } as const;

interface Entry {
  url: string;
  handler?: string;
  options?: HandlerOptions;
}

/**
 * Routes for everything that a manifest declares, run by the handlers it names. Throws, naming them all, when there is
 * no function for some of them.
 */
export function wireManifest(
  manifest: Manifest,
  handlers: ConnectorHandlers,
  parts: NotificationHandlerParts,
  notificationDefaults: NotificationOptions,
): Router {
  const router = Router();
  const missing: string[] = [];
  for (const { section, handlers: group, defaults, before } of SECTIONS) {
    for (const { url, handler: name, options } of entriesOf(manifest, section)) {
      // Older manifests declare endpoints that the application serves by routes of its own.
      if (name === undefined) continue;
      const handle: EndpointHandler | undefined = handlers[group]?.[name];
      if (!handle) missing.push(`${section}: ${name}`);
      else router.all(pathOf(url), ...before, ...requestHandler(parts.contexts, handle, { ...defaults, ...options }));
    }
  }
  for (const { url, channels } of [...subscriptionsOf(manifest), ...batchesOf(manifest)]) {
    const found = new Map<string, ChannelHandler>();
    for (const { channel, group, name, isNamed, options } of channels) {
      const handler = handlerOf(handlers, group, name);
      if (handler) found.set(channel, { handler, options: { ...notificationDefaults, ...options } });
      else if (isNamed) missing.push(`${group}: ${name}`);
    }
    if (found.size > 0) router.use(pathOf(url), notificationHandler(parts, found));
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
  /** The manifest gives the handler's name; otherwise it is called like the channel, and may be missing. */
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

/** Batches are handled like the updates they stand for unless there is a function of their own. */
function handlerOf(
  handlers: ConnectorHandlers,
  group: DeclaredChannel["group"],
  name: string,
): AnyMessageHandler | undefined {
  return handlers[group]?.[name] ?? (group === "batches" ? handlers.subscriptions?.[name] : undefined);
}

const ALL_CHANNELS = [
  "user:update",
  "user:delete",
  "account:update",
  "account:delete",
  "segment:update",
  "segment:delete",
  "users_segment:update",
  "users_segment:delete",
  "accounts_segment:update",
  "accounts_segment:delete",
  "ship:update",
];

function entriesOf(manifest: Manifest, section: (typeof SECTIONS)[number]["section"]): Entry[] {
  if (section !== "statuses") return manifest[section] ?? [];
  return [...(manifest.status ? [manifest.status] : []), ...(manifest.statuses ?? [])];
}

function pathOf(url: string): string {
  return `/${url.replace(/^\/+/, "").replace(/[?#].*$/, "")}`;
}

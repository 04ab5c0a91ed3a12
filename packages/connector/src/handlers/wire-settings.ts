import { isObject } from "@muster/protocol";
import type { Manifest, SettingEntry } from "@muster/protocol/manifest";
import type { Router } from "express";
import type { RequestContexts } from "../context/request-contexts.js";
import type { OAuthOptions } from "../oauth/oauth-router.js";
import type { ConnectorHandlers, DeclaredOAuth } from "./connector-handlers.js";
import { pathOf } from "./path-of.js";
import { type HandlerOptions, requestHandler } from "./request-handler.js";

export interface WireSettingsParts {
  contexts: RequestContexts;
  openOAuth(options: OAuthOptions): Router;
}

/**
 * Adds routes for the settings that a person acts with: buttons, which are called with POST, and authorizations with third
 * parties. Returns the handlers that the settings name and that were not given.
 */
export function wireSettings(
  router: Router,
  manifest: Manifest,
  handlers: ConnectorHandlers,
  { contexts, openOAuth }: WireSettingsParts,
): string[] {
  const missing: string[] = [];
  for (const setting of settingsWithHandlers(manifest)) {
    const { format, handler: name, options = {} } = setting;
    const path = pathOf(urlOf(setting));
    const button = format === "button" ? handlers.buttons?.[name] : undefined;
    const oauth = format === "oauth" ? handlers.oauth?.[name] : undefined;
    if (button) router.post(path, ...requestHandler(contexts, button, buttonOptions(options), { isForPages: true }));
    else if (oauth) router.use(path, openOAuth(oAuthOptions(oauth, setting)));
    else missing.push(`${format === "button" ? "buttons" : "oauth"}: ${name}`);
  }
  const { admin } = manifest;
  // The key has no name of a handler, and its page may be one of the application's own routes.
  if (admin !== undefined && handlers.oauth?.admin) {
    router.use(pathOf(admin), openOAuth(oAuthOptions(handlers.oauth.admin, { name: "admin" })));
  }
  return missing;
}

type SettingWithHandler = SettingEntry & { handler: string };

function settingsWithHandlers(manifest: Manifest): SettingWithHandler[] {
  const { settings = [], private_settings = [], deployment_settings = [] } = manifest;
  return [...settings, ...private_settings, ...deployment_settings].filter(
    (setting): setting is SettingWithHandler =>
      (setting.format === "button" || setting.format === "oauth") && setting.handler !== undefined,
  );
}

function urlOf({ name, handler, url }: SettingWithHandler): string {
  if (url === undefined) throw new Error(`The setting "${name}" names the handler "${handler}" but has no \`url\`.`);
  return url;
}

/** The options of a button are those of its form and of its handler. */
function buttonOptions(options: Readonly<Record<string, unknown>>): HandlerOptions {
  const { confirm } = options;
  const isFireAndForget = options.fireAndForget === true || (isObject(confirm) && confirm.fireAndForget === true);
  // Keys that are not options of handlers are ignored.
  return { ...(options as HandlerOptions), fireAndForget: isFireAndForget };
}

/** The options of an authorization: those of the code, and those of the manifest where the code gives none. */
function oAuthOptions(
  given: DeclaredOAuth,
  { name: setting, options = {} }: Pick<SettingEntry, "name" | "options">,
): OAuthOptions {
  const name = given.name ?? options.name;
  if (typeof name !== "string" || name === "") {
    throw new Error(`The authorization of "${setting}" needs the option \`name\`: how people call the third party.`);
  }
  const tokenInUrl = given.tokenInUrl ?? (options.tokenInUrl === false ? false : undefined);
  const strategy = isObject(options.strategy) ? options.strategy : {};
  return {
    ...given,
    name,
    options: { ...strategy, ...given.options },
    ...(tokenInUrl === undefined ? {} : { tokenInUrl }),
  };
}

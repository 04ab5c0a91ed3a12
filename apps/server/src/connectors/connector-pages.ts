import type { ConnectorPage } from "@muster/protocol/api/connectors";
import { type DeclaredPage, type ReadManifest, readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { browserUrl, withCredentials } from "../domain/connectors/connector-url.js";

/** The tabs, pages and sign-in screens of a connector, for browsers. Their addresses contain its secret. */
export function connectorPages(connector: Connector, organization: string, serverUrl: string): ConnectorPage[] {
  if (connector.sourceUrl === null) return [];
  const { tabs, html, admin, settings, private_settings } = readManifest(connector.manifest);
  const page = (kind: ConnectorPage["kind"], { title, size, ...declared }: DeclaredPage): ConnectorPage => ({
    ...declared,
    kind,
    title: title ?? null,
    size: size ?? null,
    url: withCredentials(browserUrl(connector, declared.url, serverUrl), connector, organization).href,
  });
  const plain = { title: undefined, size: undefined, editable: false, setup: false, workspace: false };
  const oauth = [...settings, ...private_settings].flatMap(({ format, url, title, name }) =>
    format === "oauth" && typeof url === "string"
      ? [page("oauth", { ...plain, url, setup: true, title: typeof title === "string" ? title : name })]
      : [],
  );
  return [
    ...tabs.map((tab) => page("tab", tab)),
    ...html.map((one) => page("html", one)),
    ...(admin === undefined ? [] : [page("admin", { ...plain, url: admin })]),
    ...oauth,
  ];
}

/** Whether a manifest declares an endpoint for the dashboard: one that loads options, a button, or a JSON endpoint. */
export function isCallable(manifest: ReadManifest, path: string): boolean {
  return manifest.json.some(({ url }) => url === path) || declaredPaths(manifest).has(path);
}

/** Whether the manifest says that calls of an endpoint change nothing, as those of a preview. */
export function onlyReads(manifest: ReadManifest, path: string): boolean {
  return manifest.json.some(({ url, reads }) => url === path && reads === true);
}

/** Whether a setting of the manifest loads its options from a path. */
export function offersOptions(manifest: ReadManifest, path: string): boolean {
  return declaredPaths(manifest, ["loadOptions"]).has(path);
}

/** The paths under these keys of settings, at any depth: tables contain settings. */
function declaredPaths(
  { settings, private_settings, deployment_settings }: ReadManifest,
  keys: readonly string[] = ["loadOptions", "url"],
): Set<string> {
  const paths = new Set<string>();
  const unread: unknown[] = [...settings, ...private_settings, ...deployment_settings];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    if (typeof next !== "object" || next === null) continue;
    for (const [key, value] of Object.entries(next)) {
      if (keys.includes(key) && typeof value === "string") paths.add(value);
      else if (key !== "default") unread.push(value);
    }
  }
  return paths;
}

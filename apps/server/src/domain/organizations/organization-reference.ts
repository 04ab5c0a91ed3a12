import { isId } from "@muster/protocol";
import { DEFAULT_NAMESPACE } from "./organization.js";

/** Hosts of the gateway, `firehose.<rest>`; no organization can have this namespace. */
export const GATEWAY_LABEL = "firehose";

/**
 * Which organization a request is for: the id or namespace it names. The header may hold an id, a namespace or a host;
 * a host outside the base domain, and the base domain itself, is the default organization.
 */
export function organizationReference(
  header: string | undefined,
  host: string | undefined,
  baseDomain: string,
): string {
  const given = header?.trim().toLowerCase();
  if (given) return isId(given) || isNamespace(given) ? given : namespaceOfHost(given, baseDomain);
  return namespaceOfHost(host?.toLowerCase() ?? "", baseDomain);
}

/** @example isNamespace("acme-eu") // true */
export function isNamespace(value: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value) && value !== "localhost";
}

function namespaceOfHost(host: string, baseDomain: string): string {
  const name = host.replace(/:\d+$/, "");
  const suffix = `.${baseDomain.toLowerCase()}`;
  if (!name.endsWith(suffix)) return DEFAULT_NAMESPACE;
  const label = name.slice(0, -suffix.length).split(".").pop() ?? "";
  return label === "" || label === GATEWAY_LABEL ? DEFAULT_NAMESPACE : label;
}

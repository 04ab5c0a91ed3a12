import { isId } from "@muster/protocol";
import { DEFAULT_NAMESPACE } from "./organization.js";

/** The first label of the gateway's hosts, `firehose.<rest>`; no organization can have this namespace. */
export const GATEWAY_LABEL = "firehose";

/**
 * The id or namespace of the organization that a request is for. The header may contain an id, a namespace or a host.
 * The base domain itself and hosts outside it mean the default organization.
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

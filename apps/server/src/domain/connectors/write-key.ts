import type { Organization } from "../organizations/organization.js";
import type { Connector } from "./connector.js";

/**
 * Where a write key is kept. A `server` key is secret, so what it says of people is proof. A `page` key is public: it is on
 * websites and in apps, so what it says is a hint.
 */
export type WriteKeyKind = "server" | "page";

/** A text that lets its holder write in the name of a connector, and read nothing. */
export interface WriteKey {
  id: string;
  kind: WriteKeyKind;
  /** Page keys: the hosts of pages that may use it. `*.example.com` stands for all hosts under example.com. */
  domains: readonly string[];
  /** Page keys: the apps that may use it, by the `context.app.namespace` that they send. */
  apps: readonly string[];
  /** Page keys: the owner has decided that what its calls say about who somebody is counts as proof. */
  trustsIdentify: boolean;
}

/** Whose key it is. */
export interface KeyHolder {
  writeKey: WriteKey;
  connector: Connector;
  organization: Organization;
}

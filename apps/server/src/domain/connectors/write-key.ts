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

/** A write key as its owner sees it. */
export interface StoredWriteKey extends WriteKey {
  name: string;
  /** The text that callers send. */
  key: string;
  createdAt: Date;
  /** When it was last used, to within a minute. */
  lastUsedAt: Date | null;
}

/** What can be chosen when a key is created, and changed later except for its kind. */
export type WriteKeyFields = Pick<StoredWriteKey, "kind" | "name" | "domains" | "apps" | "trustsIdentify">;

/** Whose key it is. */
export interface KeyHolder {
  writeKey: WriteKey;
  connector: Connector;
  organization: Organization;
}

const TEXT = /^wk[sp]_[A-Za-z0-9]{32}$/;

/** Whether a text has the form of a write key. */
export function isWriteKeyText(text: string): boolean {
  return TEXT.test(text);
}

/** The form of the secret keys anywhere in a text. */
export const SERVER_KEYS = /wks_[A-Za-z0-9]{32}/g;

// Reverse domain names as iOS and Android use them, and what else people give to `context.app.namespace`.
const APP = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Why a key cannot have these fields; undefined when it can. Whether each domain is a host is checked elsewhere. */
export function writeKeyProblem({ kind, domains, apps, trustsIdentify }: WriteKeyFields): string | undefined {
  if (kind === "server") {
    return domains.length > 0 || apps.length > 0 || trustsIdentify
      ? "a server key works everywhere and is always trusted: only a page key has domains, apps and trust_identify"
      : undefined;
  }
  if (domains.length === 0 && apps.length === 0) return "a page key needs at least one domain or app that may use it";
  const wrongApp = apps.find((app) => !APP.test(app));
  return wrongApp === undefined ? undefined : `"${wrongApp}" is no name of an app; give one like com.example.shop`;
}

import type { BrowserError } from "../browser-error.js";
import type { IdStore } from "../identity/browser-ids.js";
import type { InitOptions } from "../options.js";
import type { PageConfig, User } from "../page-config.js";
import type { Connection } from "./connection.js";
import type { Names } from "./names.js";
import type { PageCache } from "./page-cache.js";
import type { Visitor } from "./visitor.js";

export interface ClientOptions {
  options: InitOptions;
  names: Names;
  version: string;
  connection: Connection;
  visitor: Visitor;
  ids: IdStore;
  cache: PageCache;
  /** Why the library cannot start: its options are wrong. */
  problem: BrowserError | undefined;
}

/** What a page gets when the library has started. */
export interface Ready<Client> {
  hull: Client;
  /** False when nobody is signed in. */
  me: User | false;
  app: PageConfig["app"];
  org: PageConfig["org"];
}

export type ReadyCallback<Client> = (
  client: Client,
  me: User | false,
  app: PageConfig["app"],
  org: PageConfig["org"],
) => unknown;

export interface Config {
  platformId: string;
  orgUrl: string;
  jsUrl: string;
  assetsUrl: string;
  /** Null until the library has started. */
  namespace: string | null;
  services: PageConfig["services"];
  global: string;
}

/** What is done with the value that an attribute has. */
export interface AttributeChange {
  value: unknown;
  operation: "set" | "setIfNull" | "inc" | "dec";
}

/** Attributes by name: values, or changes of them. */
export type Attributes = Record<string, AttributeChange | string | number | boolean | null | Date | unknown[] | object>;

export type Properties = Record<string, unknown>;

export interface RecordOrigin {
  /** What has recorded the event. */
  source?: string;
}

/** What an event is about, besides its properties. */
export interface EventOptions extends RecordOrigin {
  /** The entity that the visitor acted on: its object id, or an id of your own. An id that is not known makes an entity. */
  entity_id?: string | number;
  /** The address of that entity. Alone it is its id too. */
  entity_url?: string;
}

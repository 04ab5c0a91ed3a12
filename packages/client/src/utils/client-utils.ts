import { isObject } from "@muster/protocol";
import type { Method, Params } from "../http/rest-call.js";
import { type GroupedTraits, groupTraits } from "./group-traits.js";
import { type Property, readProperties } from "./read-properties.js";

/** A call with the connector's own credentials, also when the client is scoped. */
export type ConnectorCall = (path: string, method: Method, params: Params) => Promise<unknown>;

export interface ClientUtils {
  readonly properties: {
    /**
     * Fetches all properties of the organization, with what Muster knows about each. Hidden attributes are among them, with
     * `visible: false`.
     *
     * @example
     * const properties = await client.utils.properties.get();
     * properties["traits_plan"]?.type; // "string"
     */
    get(): Promise<Record<string, Property>>;
  };
  readonly settings: {
    /**
     * Merges into the connector's `private_settings`; resolves to the whole connector. Muster then sends the
     * connector a `ship:update` notification: updating settings in answer to one makes a loop.
     *
     * @example
     * await client.utils.settings.update({ last_sync_at: new Date().toISOString() });
     */
    update(newSettings: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  };
  readonly traits: {
    /**
     * Groups flat attribute keys into nested objects.
     *
     * @example
     * client.utils.traits.group({ traits_plan: "pro", "traits_crm/stage": "won" });
     * // { traits: { plan: "pro" }, crm: { stage: "won" } }
     */
    group(flat: Readonly<Record<string, unknown>>): GroupedTraits;
  };
}

export function createUtils(connectorId: string, call: ConnectorCall): ClientUtils {
  return {
    properties: {
      async get() {
        const [answer, schema] = await Promise.all([
          call("/search/user_reports/bootstrap", "GET", {}),
          call("/users/schema", "GET", {}),
        ]);
        return readProperties(isObject(answer) ? answer.tree : undefined, schema);
      },
    },
    settings: {
      async update(newSettings) {
        // Muster merges. Reading, merging here and writing would undo changes that others make in between.
        const connector = await call(`/${connectorId}`, "PUT", { private_settings: newSettings });
        return isObject(connector) ? connector : {};
      },
    },
    traits: { group: groupTraits },
  };
}

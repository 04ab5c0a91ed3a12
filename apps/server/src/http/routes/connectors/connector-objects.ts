import { Refusal } from "@muster/protocol";
import type { ConnectorWorks } from "../../../connectors/connector-works.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Queryable } from "../../../storage/postgres/database.js";
import { clearQueue } from "../../../storage/postgres/delivery/outbox.js";
import type { ObjectHandler } from "../object-handler.js";
import { readConnectorChanges } from "./connector-changes.js";
import { connectorRecord, mayChange } from "./connector-record.js";

/** Connectors under `/:id`. */
export function connectorObjects(
  database: Queryable,
  connectors: ConnectorStore,
  { notices }: ConnectorWorks,
): ObjectHandler {
  return {
    async read(id, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      return connector && connectorRecord(connector, caller);
    },
    async update(id, body, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      if (!connector) return undefined;
      if (!mayChange(caller, id)) throw new Refusal("forbidden", "A connector may change only itself.");
      const changes = readConnectorChanges(body, connector, caller);
      const updated = await connectors.update(caller.organization.id, id, changes);
      if (!updated) return undefined;
      if (!updated.enabled && updated.whenDisabled === "drop") await clearQueue(database, caller.organization.id, id);
      await notices.connectorChanged(updated);
      return connectorRecord(updated, caller);
    },
    async remove(id, caller) {
      if (caller.kind !== "operator") throw new Refusal("forbidden", "Only the operator may remove a connector.");
      return connectors.remove(caller.organization.id, id);
    },
  };
}

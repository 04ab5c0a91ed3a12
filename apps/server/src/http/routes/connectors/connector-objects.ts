import { Refusal } from "@muster/protocol";
import type { Connectors } from "../../../connectors/connectors.js";
import { isOwner } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";
import { changeRefused, connectorRecord, mayChange } from "./connector-record.js";

/** Connectors under `/:id`. */
export function connectorObjects(connectors: Connectors): ObjectHandler {
  return {
    async read(id, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      return connector && connectorRecord(connector, caller);
    },
    async update(id, body, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      if (!connector) return undefined;
      if (!mayChange(caller, id)) throw changeRefused(caller);
      const updated = await connectors.update(connector, body, caller.kind === "connector" ? "connector" : "operator");
      return updated && connectorRecord(updated, caller);
    },
    async remove(id, caller) {
      if (!isOwner(caller)) throw new Refusal("forbidden", "Only an owner or the operator may remove a connector.");
      return connectors.remove(caller.organization.id, id);
    },
  };
}

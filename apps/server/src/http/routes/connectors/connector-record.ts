import { Refusal } from "@muster/protocol";
import type { Connector as ConnectorRecord } from "@muster/protocol/api/connectors";
import { readManifest } from "@muster/protocol/manifest";
import { fullConnectorRecord, publicConnectorRecord } from "../../../connectors/connector-record.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import { settingsSections } from "../../../domain/connectors/setup.js";
import { type Caller, isOwner } from "../../auth/caller.js";

/** The record of a connector with what the caller may see of it. */
export function connectorRecord(connector: Connector, caller: Caller): ConnectorRecord {
  if (!mayChange(caller, connector.id)) return publicConnectorRecord(connector);
  const sections = settingsSections(readManifest(connector.manifest), connector.status);
  return { ...fullConnectorRecord(connector), sections };
}

/** Why somebody for whom `mayChange` is false may not change a connector. */
export function changeRefused(caller: Caller): Refusal {
  const message =
    caller.kind === "member"
      ? "A connector holds secrets, so only owners may change it."
      : "A connector may change only itself.";
  return new Refusal("forbidden", message);
}

/** Only the connector itself, owners of the organization and the operator may see its secret and change it. */
export function mayChange(caller: Caller, connectorId: string): boolean {
  return isOwner(caller) || (caller.kind === "connector" && caller.connector.id === connectorId);
}

import { Type } from "typebox";
import { fullConnectorRecord, publicConnectorRecord } from "../../../connectors/connector-record.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import type { Caller } from "../../auth/caller.js";

export const ConnectorRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Literal("ship"),
    tags: Type.Array(Type.Unknown()),
    enabled: Type.Boolean(),
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
  },
  {
    additionalProperties: true,
    description: "`secret` and `private_settings` are there only for the connector itself and the operator.",
  },
);

export const StatusRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.String(),
  messages: Type.Array(Type.String()),
  updated_at: Type.Union([Type.String(), Type.Null()]),
});

/** The connector as the caller may see it: secrets and private settings only to itself and the operator. */
export function connectorRecord(connector: Connector, caller: Caller) {
  return mayChange(caller, connector.id) ? fullConnectorRecord(connector) : publicConnectorRecord(connector);
}

/** Only a connector itself and the operator may see its secrets and change it. */
export function mayChange(caller: Caller, connectorId: string): boolean {
  return caller.kind === "operator" || (caller.kind === "connector" && caller.connector.id === connectorId);
}

import { Refusal } from "@muster/protocol";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import { type Caller, connectorOf } from "../../auth/caller.js";
import { mayChange } from "./connector-record.js";

/** The connector that a path names, by id or as `app`. */
export async function findConnector(connectors: Connectors, given: string, caller: Caller): Promise<Connector> {
  const id = given === "app" ? connectorOf(caller).id : given;
  const connector = await connectors.find(caller.organization.id, id);
  if (!connector) throw connectorNotFound(given);
  return connector;
}

/** The same, for requests that only the connector itself and people may make. What a member may do, the role decides. */
export async function findUsableConnector(connectors: Connectors, given: string, caller: Caller): Promise<Connector> {
  return caller.kind === "member"
    ? findConnector(connectors, given, caller)
    : findOwnConnector(connectors, given, caller);
}

/** The same, for requests that only the connector itself, owners and the operator may make. */
export async function findOwnConnector(connectors: Connectors, given: string, caller: Caller): Promise<Connector> {
  const connector = await findConnector(connectors, given, caller);
  if (!mayChange(caller, connector.id)) {
    throw new Refusal("forbidden", "This is for the connector itself, owners and the operator.");
  }
  return connector;
}

export function connectorNotFound(given: string): Refusal {
  return new Refusal("not_found", `There is no connector "${given.slice(0, 100)}".`);
}

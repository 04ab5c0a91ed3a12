import { Refusal } from "@muster/protocol";
import type { ConnectorStore } from "../storage/postgres/connectors.js";
import { connectorRecord, mayChange } from "./connector-record.js";
import type { ObjectHandler } from "./object-handler.js";

/** Connectors under `/:id`. */
export function connectorObjects(connectors: ConnectorStore): ObjectHandler {
  return {
    async read(id, caller) {
      const connector = await connectors.find(caller.organization.id, id);
      return connector && connectorRecord(connector, caller);
    },
    async update(id, body, caller) {
      if (!(await connectors.find(caller.organization.id, id))) return undefined;
      if (!mayChange(caller, id)) throw new Refusal("forbidden", "A connector may change only itself.");
      const updated = await connectors.update(caller.organization.id, id, readSettings(body));
      return updated && connectorRecord(updated, caller);
    },
    async remove(id, caller) {
      if (caller.kind !== "operator") throw new Refusal("forbidden", "Only the operator may remove a connector.");
      return connectors.remove(caller.organization.id, id);
    },
  };
}

interface SettingsChange {
  settings?: Record<string, unknown>;
  privateSettings?: Record<string, unknown>;
}

function readSettings(body: unknown): SettingsChange {
  const given = isObject(body) ? body : {};
  const part = (name: string): Record<string, unknown> | undefined => {
    const value = given[name];
    if (value === undefined || isObject(value)) return value;
    throw new Refusal("invalid_parameter", `body.${name} must be an object.`, {
      details: [{ path: `body.${name}`, message: "must be an object" }],
    });
  };
  const settings = part("settings");
  const privateSettings = part("private_settings");
  return { ...(settings ? { settings } : {}), ...(privateSettings ? { privateSettings } : {}) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

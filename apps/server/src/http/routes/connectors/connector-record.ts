import { Refusal } from "@muster/protocol";
import { anyValueAs } from "@muster/protocol/api/schema";
import { AttributeValue } from "@muster/protocol/api/values";
import { readManifest } from "@muster/protocol/manifest";
import { Type } from "typebox";
import { fullConnectorRecord, publicConnectorRecord } from "../../../connectors/connector-record.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import { settingsSections } from "../../../domain/connectors/setup.js";
import { type Caller, isOwner } from "../../auth/caller.js";
import { anyObjectAs } from "../../reference/named-schema.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);

export const ConnectorRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Literal("ship"),
    manifest: anyObjectAs("Manifest"),
    manifest_url: OptionalText,
    source_url: Type.Union([Type.String(), Type.Null()], { description: "Where it runs." }),
    settings: anyObjectAs("Settings"),
    private_settings: Type.Optional(anyObjectAs("Settings")),
    secret: Type.Optional(Type.String()),
    tags: Type.Array(anyValueAs(AttributeValue)),
    status: Type.Object({ status: Type.String(), messages: Type.Array(Type.String()), updated_at: OptionalText }),
    enabled: Type.Boolean(),
    when_disabled: Type.String({ description: "`drop` or `hold`: what happens to messages while it is disabled." }),
    notify_users_of_account: Type.Boolean({
      description: "It also gets `user:update` messages when only the account of a user has changed.",
    }),
    accept_incoming_webhooks: Type.Boolean({ description: "Whether it is enabled." }),
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
  },
  {
    additionalProperties: true,
    component: "Connector",
    description:
      "Only the connector itself, owners of the organization and the operator get `secret`, `private_settings` and `sections`: the sections of the settings form, each with `enabled`.",
  },
);

export const StatusRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Type.String(),
    messages: Type.Array(Type.String()),
    updated_at: OptionalText,
  },
  { component: "ConnectorStatus", description: "The status of a connector." },
);

/** The record of a connector with what the caller may see of it. */
export function connectorRecord(connector: Connector, caller: Caller) {
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

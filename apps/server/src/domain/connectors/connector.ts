import type { Connector as ConnectorRecord } from "@muster/protocol/api/connectors";
import type { PastStatus } from "@muster/protocol/api/status";
import type { ConnectorStatus } from "@muster/protocol/manifest";
import type { Organization } from "../organizations/organization.js";

/** What happens to messages for a connector while it is disabled: they are dropped, or they wait. */
export type WhenDisabled = ConnectorRecord["when_disabled"];

/** Who set the status of a connector. */
export type StatusSource = PastStatus["source"];

export interface Connector {
  id: string;
  organizationId: string;
  name: string;
  secret: string;
  manifest: Record<string, unknown>;
  manifestUrl: string | null;
  sourceUrl: string | null;
  settings: Record<string, unknown>;
  privateSettings: Record<string, unknown>;
  status: ConnectorStatus;
  statusMessages: string[];
  statusUpdatedAt: Date | null;
  enabled: boolean;
  whenDisabled: WhenDisabled;
  /** It also gets messages about users when only their account has changed. */
  notifyUsersOfAccount: boolean;
  /** It is told nothing about users who have not agreed to all of these purposes. */
  purposes: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** What a new connector starts with. A connector without a manifest has only a name. */
export interface NewConnector {
  name: string;
  manifest?: Record<string, unknown>;
  manifestUrl?: string;
  sourceUrl?: string;
  settings?: Record<string, unknown>;
  privateSettings?: Record<string, unknown>;
  status?: ConnectorStatus;
}

/** Changes to a connector: settings are merged, the rest is replaced; what is left out stays. */
export interface ConnectorChanges {
  name?: string;
  settings?: Record<string, unknown>;
  privateSettings?: Record<string, unknown>;
  enabled?: boolean;
  whenDisabled?: WhenDisabled;
  notifyUsersOfAccount?: boolean;
  purposes?: string[];
  manifest?: Record<string, unknown>;
}

export interface ConnectorInOrganization {
  connector: Connector;
  organization: Organization;
}

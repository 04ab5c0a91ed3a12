import type { Connector, NewConnector } from "../domain/connectors/connector.js";
import { DEFAULT_NAMESPACE, type Organization } from "../domain/organizations/organization.js";
import type { Organizations } from "./organizations.js";

export interface FirstCredentials {
  organization: Organization;
  connector: Connector;
  /** Whether this start has created them. */
  areNew: boolean;
}

export interface FirstStartOptions {
  organizations: Organizations;
  connectors: {
    list(organizationId: string): Promise<Connector[]>;
    create(organizationId: string, connector: NewConnector): Promise<Connector>;
  };
}

/**
 * Creates the default organization and a connector with API credentials on the first start, so that a new user can send
 * a request at once. Later starts return the default organization with its first connector, if it still has one.
 */
export async function ensureFirstCredentials({
  organizations,
  connectors,
}: FirstStartOptions): Promise<FirstCredentials | undefined> {
  const present = await organizations.find(DEFAULT_NAMESPACE);
  if (present) return firstOf(present);
  let organization: Organization;
  try {
    organization = await organizations.create({ namespace: DEFAULT_NAMESPACE, name: "Default" });
  } catch (error) {
    // Another process, which starts at the same moment, may have created it.
    const created = await organizations.find(DEFAULT_NAMESPACE);
    if (!created) throw error;
    return firstOf(created);
  }
  const connector = await connectors.create(organization.id, { name: "API" });
  return { organization, connector, areNew: true };

  async function firstOf(found: Organization): Promise<FirstCredentials | undefined> {
    const [first] = await connectors.list(found.id);
    return first && { organization: found, connector: first, areNew: false };
  }
}

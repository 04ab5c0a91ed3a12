import type { Connector } from "../domain/connectors/connector.js";
import { DEFAULT_NAMESPACE, type Organization } from "../domain/organizations/organization.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { createOrganization, findOrganization } from "../storage/postgres/objects/organizations.js";

export interface FirstCredentials {
  organization: Organization;
  connector: Connector;
}

/** What a newcomer needs to send a first request: the default organization and a connector with API credentials. */
export async function ensureFirstCredentials(
  database: Database,
  connectors: ConnectorStore,
): Promise<FirstCredentials | undefined> {
  const present = await findOrganization(database, DEFAULT_NAMESPACE);
  if (present) {
    const [first] = await connectors.list(present.id);
    return first && { organization: present, connector: first };
  }
  const organization = await createOrganization(database, { namespace: DEFAULT_NAMESPACE, name: "Default" });
  return { organization, connector: await connectors.create(organization.id, { name: "API" }) };
}

/** Finds a connector of an organization by its id. */
export type FindConnector = (organizationId: string, connectorId: string) => Promise<{ name: string } | undefined>;

/** Finds the connector or the member who wrote a value. */
export interface FindWriter {
  findConnector: FindConnector;
  findMember: FindMember;
}

/** Finds a member by its id. */
export type FindMember = (memberId: string) => Promise<{ name: string; email: string } | undefined>;

/** Finds a connector of an organization by its id. */
export type FindConnector = (organizationId: string, connectorId: string) => Promise<{ name: string } | undefined>;

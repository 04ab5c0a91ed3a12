/** The owner of users, accounts, events, segments and connectors. */
export interface Organization {
  id: string;
  namespace: string;
  name: string;
  /** While it is not, nothing of it can be used: the operator reads its record and enables it. */
  enabled: boolean;
  createdAt: Date;
}

/** What the operator may change about an organization. */
export interface OrganizationChanges {
  name?: string;
  enabled?: boolean;
}

/** The namespace of the organization for requests that name none. */
export const DEFAULT_NAMESPACE = "default";

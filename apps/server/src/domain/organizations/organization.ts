/** The owner of users, accounts, events, segments and connectors. */
export interface Organization {
  id: string;
  namespace: string;
  name: string;
  enabled: boolean;
  createdAt: Date;
}

/** The namespace of the organization for requests that name none. */
export const DEFAULT_NAMESPACE = "default";

/** The owner of users, accounts, events, segments and connectors. */
export interface Organization {
  id: string;
  namespace: string;
  name: string;
  /** A disabled organization cannot be used at all. The operator can only read its record and enable it. */
  enabled: boolean;
  /** Emails that visitors type into forms, and ids in links, identify visitors (`domain/identity/proof.ts`). */
  joinByHints: boolean;
  createdAt: Date;
}

/** What the operator may change about an organization. Owners may change all but `enabled`. */
export interface OrganizationChanges {
  name?: string;
  enabled?: boolean;
  joinByHints?: boolean;
}

/** The namespace of the organization for requests that name none. */
export const DEFAULT_NAMESPACE = "default";

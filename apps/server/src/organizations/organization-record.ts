import type { Organization } from "../domain/organizations/organization.js";

/** An organization as the API shows it. */
export interface OrganizationRecord {
  id: string;
  namespace: string;
  name: string;
  created_at: string;
}

export function organizationRecord({ id, namespace, name, createdAt }: Organization): OrganizationRecord {
  return { id, namespace, name, created_at: createdAt.toISOString() };
}

import type { Organization } from "../domain/organizations/organization.js";

/** An organization as the API shows it. */
export type OrganizationRecord = {
  id: string;
  namespace: string;
  name: string;
  enabled: boolean;
  created_at: string;
};

export function organizationRecord({ id, namespace, name, enabled, createdAt }: Organization): OrganizationRecord {
  return { id, namespace, name, enabled, created_at: createdAt.toISOString() };
}

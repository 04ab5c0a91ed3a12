import type { Organization as OrganizationRecord } from "@muster/protocol/api/organizations";
import type { Organization } from "../domain/organizations/organization.js";

/** An organization as the API shows it. */
export function organizationRecord({ id, namespace, name, enabled, createdAt }: Organization): OrganizationRecord {
  return { id, namespace, name, enabled, created_at: createdAt.toISOString() };
}

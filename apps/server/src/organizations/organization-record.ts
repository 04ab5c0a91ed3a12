import type { Organization as OrganizationRecord } from "@muster/protocol/api/organizations";
import type { Organization } from "../domain/organizations/organization.js";

/** An organization as the API shows it. */
export function organizationRecord(organization: Organization): OrganizationRecord {
  const { id, namespace, name, enabled, joinByHints, createdAt } = organization;
  return { id, namespace, name, enabled, join_by_hints: joinByHints, created_at: createdAt.toISOString() };
}

import type { Organization as OrganizationRecord } from "@muster/protocol/api/organizations";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { Organization } from "../domain/organizations/organization.js";

/** An organization as the API shows it. */
export function organizationRecord(organization: Organization, addresses: Addresses): OrganizationRecord {
  const { id, namespace, name, enabled, joinByHints, createdAt } = organization;
  return {
    id,
    namespace,
    name,
    url: addresses.organizationUrl(namespace),
    enabled,
    join_by_hints: joinByHints,
    created_at: createdAt.toISOString(),
  };
}

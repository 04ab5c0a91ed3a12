import { type AttributeValue, sameValue } from "../attributes/attribute-values.js";
import type { AttributeChanges } from "../changes/change-set.js";
import type { Identifiers } from "../profiles/profile.js";

/**
 * The changes of the identifiers that are no attributes: the external id and the anonymous ids, by their keys in
 * reports. The email and the domain are attributes.
 */
export function identifierChanges(before: Identifiers, now: Identifiers): AttributeChanges {
  if (before === now) return {};
  const shownBefore = shownIdentifiers(before);
  const changes: AttributeChanges = {};
  for (const [key, value] of Object.entries(shownIdentifiers(now))) {
    const from = shownBefore[key] ?? null;
    if (!sameValue(from, value)) changes[key] = [from, value];
  }
  return changes;
}

function shownIdentifiers({ external_id, anonymous_id }: Identifiers): Record<string, AttributeValue> {
  return { external_id: external_id?.[0] ?? null, anonymous_ids: anonymous_id ?? [] };
}

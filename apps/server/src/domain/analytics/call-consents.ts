import { CONSENT_GROUP, isObject } from "@muster/protocol";
import type { Call } from "./call.js";

/** What Segment's consent libraries send when a person has chosen. */
const CHOICE = "Segment Consent Preference Updated";

/** Whether a call says what a person has chosen, and nothing else. */
export function isChoice({ type, given }: Pick<Call, "type" | "given">): boolean {
  return type === "track" && given.event === CHOICE;
}

/**
 * What the person of a call has agreed to, as attributes. Each category of `context.consent.categoryPreferences` is the
 * purpose of its name in lower case, with `_` for what a name of a purpose cannot have.
 */
export function readConsents({ context }: Pick<Call, "context">): Record<string, boolean> {
  const consent = isObject(context.consent) ? context.consent : {};
  const preferences = isObject(consent.categoryPreferences) ? consent.categoryPreferences : {};
  const consents = new Map<string, boolean>();
  for (const [category, agreed] of Object.entries(preferences)) {
    if (typeof agreed !== "boolean") continue;
    const purpose = category
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, "_")
      .slice(0, 50);
    const attribute = `${CONSENT_GROUP}/${purpose}`;
    // Of two categories with one name, both must be agreed to.
    consents.set(attribute, agreed && consents.get(attribute) !== false);
  }
  return Object.fromEntries(consents);
}

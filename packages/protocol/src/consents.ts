/** The group of the attributes of users that say what a person has agreed to. */
export const CONSENT_GROUP = "consents";

const PREFIX = `${CONSENT_GROUP}/`;

/** The attribute that says whether a person has agreed to a purpose: only `true` means so. */
export function consentAttribute(purpose: string): string {
  return PREFIX + purpose;
}

export function isConsent(attribute: string): boolean {
  return attribute.startsWith(PREFIX);
}

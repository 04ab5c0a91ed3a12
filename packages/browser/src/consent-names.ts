/** What a visitor agrees to, by the name of the purpose. */
export type Consents = Record<string, boolean>;

/** The attributes that say what a visitor agrees to begin with this. */
export const CONSENT_PREFIX = "consents/";

/** Whether a name can be that of a consent, with whatever prefix. */
export function namesConsent(attribute: string): boolean {
  return attribute.includes(CONSENT_PREFIX);
}

import type { Attributes, Consents } from "./client-types.js";

const GROUP = "consents/";

/** The attributes that say what a visitor agrees to; undefined when the choices cannot be read. */
export function consentAttributes(choices: Consents): Attributes | undefined {
  const chosen = Object.entries(choices ?? {});
  if (chosen.length === 0 || chosen.some(([, agreed]) => typeof agreed !== "boolean")) return undefined;
  return Object.fromEntries(chosen.map(([purpose, agreed]) => [GROUP + purpose, agreed]));
}

/** Whether a name can be that of a consent, with whatever prefix. */
export function namesConsent(attribute: string): boolean {
  return attribute.includes(GROUP);
}

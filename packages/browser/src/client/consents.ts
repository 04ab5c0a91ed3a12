import { CONSENT_PREFIX, type Consents } from "../consent-names.js";
import type { Attributes } from "./client-types.js";

/** The attributes that say what a visitor agrees to; undefined when the choices cannot be read. */
export function consentAttributes(choices: Consents): Attributes | undefined {
  const chosen = Object.entries(choices ?? {});
  if (chosen.length === 0 || chosen.some(([, agreed]) => typeof agreed !== "boolean")) return undefined;
  return Object.fromEntries(chosen.map(([purpose, agreed]) => [CONSENT_PREFIX + purpose, agreed]));
}

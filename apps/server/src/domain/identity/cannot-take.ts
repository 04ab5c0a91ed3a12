import type { Profile } from "../profiles/profile.js";
import { type ClaimedIdentifier, isSingleValued } from "./identifiers.js";

/** Why a profile does not get another identifier, as a sentence. */
export function cannotTake({ subjectType, id, identifiers }: Profile, { kind, value }: ClaimedIdentifier): string {
  return isSingleValued(kind)
    ? `The ${subjectType} ${id} already has the ${kind} "${identifiers[kind]?.[0]}"; "${value}" was not added.`
    : `The ${subjectType} ${id} has too many identifiers of the kind ${kind}; "${value}" was not added.`;
}

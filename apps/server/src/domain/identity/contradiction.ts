import type { IdentifierKind, Profile } from "../profiles/profile.js";
import { type ClaimedIdentifier, isSingleValued, STRENGTH } from "./identifiers.js";

/** Whether a profile has another value of a claimed identifier: then it is another subject. */
export function contradicts({ identifiers }: Profile, { kind, value }: ClaimedIdentifier): boolean {
  const own = identifiers[kind];
  return own !== undefined && !own.includes(value);
}

/**
 * Whether two profiles that one identifier connects are different subjects all the same: they have different values of a
 * stronger kind, or of a kind that has one value only.
 */
export function areDifferent(one: Profile, other: Profile, connectedBy: IdentifierKind): boolean {
  const kinds = STRENGTH[one.subjectType];
  return kinds.some(
    (kind, place) =>
      (place < kinds.indexOf(connectedBy) || isSingleValued(kind)) &&
      differ(one.identifiers[kind], other.identifiers[kind]),
  );
}

function differ(one: string[] | undefined, other: string[] | undefined): boolean {
  return one !== undefined && other !== undefined && !one.some((value) => other.includes(value));
}

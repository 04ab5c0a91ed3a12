import type { AccountClaims, SubjectType, UserClaims, VerifiedClaims } from "@muster/protocol";
import type { IdentifierKind, Profile } from "../profiles/profile.js";
import { claimedIdentifiers, STRENGTH } from "./identifiers.js";

/**
 * Whether identifiers of a kind tell who a subject is. An anonymous id tells only which browser it is, and other people
 * may know it or guess it.
 */
export function isIdentifying(subjectType: SubjectType, kind: IdentifierKind): boolean {
  const kinds = STRENGTH[subjectType];
  return kinds.indexOf(kind) < kinds.indexOf("anonymous_id");
}

/** Whether a profile is identified: it has an identifier that is stronger than an anonymous id. */
export function isIdentified({ subjectType, identifiers }: Pick<Profile, "subjectType" | "identifiers">): boolean {
  return STRENGTH[subjectType].some((kind) => isIdentifying(subjectType, kind) && identifiers[kind] !== undefined);
}

/** Whether claims tell who their subject is. */
export function tellWho(subjectType: SubjectType, claims: UserClaims | AccountClaims): boolean {
  if (claims.id !== undefined) return true;
  return claimedIdentifiers(subjectType, claims).some(({ kind }) => isIdentifying(subjectType, kind));
}

/**
 * Whether an end user with these claims may change the identifiers of a profile. The browser of an identified
 * user does not speak for that user.
 */
export function speaksFor(profile: Profile, claims: UserClaims | AccountClaims): boolean {
  return !isIdentified(profile) || tellWho(profile.subjectType, claims);
}

/** The part of a token's claims that tells who its user is. An end user reads the profile that this part finds. */
export function identifyingClaims({ asUser, ...claims }: VerifiedClaims): VerifiedClaims {
  const { id, external_id, email } = asUser ?? {};
  const identifying = {
    ...(id === undefined ? {} : { id }),
    ...(external_id === undefined ? {} : { external_id }),
    ...(email === undefined ? {} : { email }),
  };
  return Object.keys(identifying).length === 0 ? claims : { ...claims, asUser: identifying };
}

/** Whether an end user that names this kind of identifier does not reach its owner. */
export function isOutOfReach(owner: Profile, kind: IdentifierKind): boolean {
  return !isIdentifying(owner.subjectType, kind) && isIdentified(owner);
}

import type { Subjects } from "../../../audience/subjects/subjects.js";
import { identifyingClaims } from "../../../domain/identity/identified.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import { type Caller, claimsOf, isEndUser } from "../../auth/caller.js";

/**
 * The user that `me` means: the one that the caller's token is about. An anonymous id in the token of an end user finds
 * nobody, because it does not prove that the caller is the person it belongs to.
 */
export async function findMe(subjects: Subjects, caller: Caller): Promise<Profile | undefined> {
  const claims = claimsOf(caller);
  return claims && subjects.findUser(caller.organization.id, isEndUser(caller) ? identifyingClaims(claims) : claims);
}

import type { Subjects } from "../../../audience/subjects/subjects.js";
import { identifyingClaims } from "../../../domain/identity/identified.js";
import { provedPart } from "../../../domain/identity/proof.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import { type Caller, claimsOf, isEndUser } from "../../auth/caller.js";

/**
 * The user that `me` means: the one that the caller's token is about. An anonymous id in the token of an end user finds
 * nobody, because it does not prove that the caller is the person it belongs to. An end user gets the proved values only:
 * the others may be of another person who used the same browser.
 */
export async function findMe(subjects: Subjects, caller: Caller): Promise<Profile | undefined> {
  const claims = claimsOf(caller);
  if (!claims) return undefined;
  if (!isEndUser(caller)) return subjects.findUser(caller.organization.id, claims);
  const user = await subjects.findUser(caller.organization.id, identifyingClaims(claims));
  return user && provedPart(user, claims.asUser?.anonymous_id);
}

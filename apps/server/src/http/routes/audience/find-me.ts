import type { Subjects } from "../../../audience/subjects.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import { type Caller, claimsOf } from "../../auth/caller.js";

/** The user that `me` means: the one that the caller's token is about. */
export async function findMe(subjects: Subjects, caller: Caller): Promise<Profile | undefined> {
  const claims = claimsOf(caller);
  return claims && subjects.findUser(caller.organization.id, claims);
}

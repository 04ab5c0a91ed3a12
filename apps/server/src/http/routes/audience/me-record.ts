import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import { type Caller, readerOf } from "../../auth/caller.js";
import { signedUserHeaders } from "../../auth/user-signature.js";
import { signUserToken } from "../../auth/user-token.js";

export interface MeRecordOptions {
  subjects: Subjects;
  authentication: Pick<AuthenticateOptions, "brand" | "userTokenMaxDays">;
}

/** The record of a user for that user, with a token to come back with. */
export async function meRecord({ subjects, authentication }: MeRecordOptions, caller: Caller, user: Profile) {
  return {
    ...(await subjects.userRecord(caller.organization.id, user, readerOf(caller))),
    access_token: signUserToken(authentication.brand, caller, user.id, {
      maxDays: authentication.userTokenMaxDays,
      nowMs: Date.now(),
    }),
  };
}

/** What the old browser library keeps in its cookie after a sign-in. */
export function signInHeaders(
  { brand, userTokenMaxDays: maxDays }: MeRecordOptions["authentication"],
  caller: Caller,
  userId: string,
): Record<string, string> {
  return signedUserHeaders(brand, caller, userId, { maxDays, nowMs: Date.now() });
}

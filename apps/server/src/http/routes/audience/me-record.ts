import { createHmac } from "node:crypto";
import type { Brand } from "@muster/protocol";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import type { Caller } from "../../auth/caller.js";
import { signUserToken } from "../../auth/user-token.js";

export interface MeRecordOptions {
  subjects: Subjects;
  authentication: Pick<AuthenticateOptions, "brand" | "userTokenMaxDays">;
}

/** The record of a user for that user, with a token to come back with. */
export async function meRecord({ subjects, authentication }: MeRecordOptions, caller: Caller, user: Profile) {
  return {
    ...(await subjects.userRecord(caller.organization.id, user)),
    access_token: signUserToken(authentication.brand, caller, user.id, {
      maxDays: authentication.userTokenMaxDays,
      nowMs: Date.now(),
    }),
  };
}

/** What the old browser library keeps in its cookie after a sign-in. The server does not read it again. */
export function signInHeaders(brand: Brand, caller: Caller, userId: string): Record<string, string> {
  if (caller.kind !== "subject" && caller.kind !== "connector") return {};
  const at = Math.floor(Date.now() / 1_000);
  const digest = createHmac("sha256", caller.connector.secret).update(`${at}-${userId}`).digest("hex");
  return { [brand.headers.userId]: userId, [brand.headers.userSignature]: `${at}.${digest}` };
}

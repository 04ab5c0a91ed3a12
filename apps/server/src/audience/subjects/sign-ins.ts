import { Refusal, type VerifiedClaims } from "@muster/protocol";
import { entryOf } from "../../domain/entries/admit-entry.js";
import { identifyingClaims } from "../../domain/identity/identified.js";
import { provedPart } from "../../domain/identity/proof.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { recordSignIn } from "../../storage/postgres/profiles/sign-ins.js";
import type { EntryWriter } from "./entry-writer.js";
import type { Subjects } from "./subjects.js";

export interface SignInsOptions {
  database: Database;
  subjects: Subjects;
  writer: EntryWriter;
}

/** Signs users in. */
export class SignIns {
  readonly #options: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /**
   * Signs in the user that a token is about, and creates the user if the token allows it. The token must tell who the
   * user is: an anonymous id alone is not enough. `url` is the page on which the user signed in. An end user gets the
   * proved values only.
   */
  async signIn(
    organizationId: string,
    claims: VerifiedClaims,
    { url, byEndUser }: { url: string | null; byEndUser: boolean },
  ): Promise<Profile> {
    const { database, subjects, writer } = this.#options;
    const identifying = identifyingClaims(claims);
    if (claims.subjectType === "user" && !identifying.asUser && identifying.subjectId === undefined) {
      throw new Refusal("forbidden", "A token that has only an anonymous id cannot sign a user in.");
    }
    // Without attributes: the entry only creates the user or merges the identifiers that the token claims.
    const entry = entryOf("traits", {}, claims, Date.now());
    const marked = { ...entry, active: true, ...(byEndUser ? { byEndUser } : {}) };
    await writer.waitFor(organizationId, await writer.accept(organizationId, marked));
    const user = await subjects.findUser(organizationId, identifying);
    if (!user) throw new Refusal("not_found", "The user of this token is not known yet.");
    await recordSignIn(database, organizationId, user.id, claims.issuer, url);
    return byEndUser ? provedPart(user, claims.asUser?.anonymous_id) : user;
  }
}

import { Refusal, type VerifiedClaims } from "@muster/protocol";
import { entryOf } from "../domain/entries/admit-entry.js";
import type { Profile } from "../domain/profiles/profile.js";
import type { Database } from "../storage/postgres/database.js";
import { recordSignIn } from "../storage/postgres/profiles/sign-ins.js";
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
   * Signs in the user that a token is about, and creates the user if the token allows it. `url` is the page on which the
   * user signed in.
   */
  async signIn(organizationId: string, claims: VerifiedClaims, url: string | null): Promise<Profile> {
    const { database, subjects, writer } = this.#options;
    // Without attributes: the entry only creates the user or merges the identifiers that the token claims.
    const entry = { ...entryOf("traits", {}, claims, Date.now()), active: true };
    await writer.waitFor(organizationId, await writer.accept(organizationId, entry));
    const user = await subjects.findUser(organizationId, claims);
    if (!user) throw new Refusal("not_found", "The user of this token is not known yet.");
    await recordSignIn(database, organizationId, user.id, claims.issuer, url);
    return user;
  }
}

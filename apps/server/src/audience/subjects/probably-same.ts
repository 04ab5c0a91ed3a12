import type { ProbablySame as ProbablySameRecord } from "@muster/protocol/api/history";
import { normalise } from "../../domain/identity/identifiers.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Search } from "../search/search.js";
import { findByClaims } from "./find-by-claims.js";

export interface ProbablySameOptions {
  database: Database;
  search: Search;
}

const MAX_EMAILS = 5;
const MAX_FOUND = 20;

/** Finds visitors who typed an email that a user has proved: they are probably the same person, and nobody has proved it. */
export class ProbablySame {
  readonly #options: ProbablySameOptions;

  constructor(options: ProbablySameOptions) {
    this.#options = options;
  }

  async of(organizationId: string, profile: Profile): Promise<ProbablySameRecord[]> {
    if (profile.subjectType !== "user") return [];
    const typed = profile.cells.get("email");
    if (typed?.written.unproved && typeof typed.value === "string") {
      return this.#ownerOf(organizationId, profile, typed.value);
    }
    return this.#visitorsWith(organizationId, profile);
  }

  /** The user who has proved the email that this visitor typed. */
  async #ownerOf(organizationId: string, visitor: Profile, email: string): Promise<ProbablySameRecord[]> {
    const owner = await findByClaims(this.#options.database, "user", organizationId, { email });
    if (!owner || owner.id === visitor.id) return [];
    const name = owner.cells.get("name")?.value;
    return [
      {
        id: owner.id,
        name: typeof name === "string" ? name : null,
        email,
        anonymous_ids: owner.identifiers.anonymous_id ?? [],
        proved: true,
      },
    ];
  }

  async #visitorsWith(organizationId: string, user: Profile): Promise<ProbablySameRecord[]> {
    const emails = (user.identifiers.email ?? []).slice(0, MAX_EMAILS);
    if (emails.length === 0) return [];
    // Words are compared in any case, and an email has several. So the values are compared once more below.
    const query = {
      bool: {
        must: [
          { term: { unproved_attributes: "email" } },
          { bool: { should: emails.map((email) => ({ match_phrase: { email } })), minimum_should_match: 1 } },
        ],
        must_not: [{ ids: { values: [user.id] } }],
      },
    };
    const include = ["id", "name", "email", "anonymous_ids"];
    const wanted = { query, sort: [], page: 1, perPage: MAX_FOUND, include, countsLast: true as const };
    const { data } = await this.#options.search.search(organizationId, "user", wanted);
    return data.flatMap((report): ProbablySameRecord[] => {
      const { id, name, email, anonymous_ids } = report as Record<string, unknown>;
      if (typeof email !== "string" || !emails.includes(normalise("email", email))) return [];
      return [
        {
          id: String(id),
          name: typeof name === "string" ? name : null,
          email,
          anonymous_ids: Array.isArray(anonymous_ids) ? anonymous_ids.map(String) : [],
          proved: false,
        },
      ];
    });
  }
}

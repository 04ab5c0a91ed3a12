import { Refusal, type SubjectType, type UserClaims } from "@muster/protocol";
import type { SubjectIdentity as IdentityRecord } from "@muster/protocol/api/history";
import { aliasIdentifiers, claimedIdentifiers } from "../../domain/identity/identifiers.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { readMerges } from "../../storage/postgres/profiles/merge-rows.js";
import { findProfile } from "../../storage/postgres/profiles/profiles.js";
import type { EntryWriter } from "./entry-writer.js";
import type { FindWriter } from "./find-writer.js";
import { nameWriters } from "./name-writers.js";
import type { ProbablySame } from "./probably-same.js";
import { mergeRecord } from "./timeline-items.js";

export interface SubjectIdentityOptions extends FindWriter {
  database: Database;
  writer: EntryWriter;
  probablySame: ProbablySame;
}

const MAX_MERGES = 200;

/** Reads and changes what a user or account is found by. */
export class SubjectIdentity {
  readonly #options: SubjectIdentityOptions;

  constructor(options: SubjectIdentityOptions) {
    this.#options = options;
  }

  async read(organizationId: string, profile: Profile): Promise<IdentityRecord> {
    const { database, probablySame } = this.#options;
    const { id, subjectType, identifiers } = profile;
    const [merges, same] = await Promise.all([
      readMerges(database, organizationId, id, { limit: MAX_MERGES }),
      probablySame.of(organizationId, profile),
    ]);
    const sources = merges.map(({ cause }) => cause?.source);
    const writerOf = await nameWriters(this.#options, organizationId, sources);
    return {
      id,
      type: subjectType,
      identifiers,
      probably_same: same,
      merges: merges.map((merge) => ({ merged_at: merge.mergedAt.toISOString(), ...mergeRecord(merge, writerOf) })),
    };
  }

  /**
   * Adds identifiers and returns the position of the entry. Whoever has one of them is merged into the subject, unless the
   * two are certainly different.
   */
  async alias(
    organizationId: string,
    { id, subjectType }: Profile,
    given: Record<string, unknown>,
    connectorId: string,
  ): Promise<string> {
    const { wanted, claimed } = readIdentifiers(subjectType, given);
    const position = await this.#write(organizationId, "alias", { id, subjectType }, wanted, connectorId);
    const now = await findProfile(this.#options.database, subjectType, organizationId, id);
    const missing = claimed.find(({ kind, value }) => !now?.identifiers[kind]?.includes(value));
    if (missing) {
      const { kind, value } = missing;
      throw new Refusal(
        "conflict",
        `The ${kind} "${value.slice(0, 100)}" was not added: it belongs to a ${subjectType} that is certainly another one, or there are too many. The list of rejected entries has the reason.`,
      );
    }
    return position;
  }

  /**
   * Removes identifiers and returns the position of the entry. `connectorId` is the connector that asks for it, or empty
   * for people.
   */
  async unalias(
    organizationId: string,
    { id, subjectType, identifiers }: Profile,
    given: Record<string, unknown>,
    connectorId: string,
  ): Promise<string> {
    const { wanted, claimed } = readIdentifiers(subjectType, given);
    const missing = claimed.find(({ kind, value }) => !identifiers[kind]?.includes(value));
    if (missing) {
      const { kind, value } = missing;
      throw new Refusal("conflict", `The ${subjectType} does not have the ${kind} "${value.slice(0, 100)}".`);
    }
    return this.#write(organizationId, "unalias", { id, subjectType }, wanted, connectorId);
  }

  async #write(
    organizationId: string,
    type: "alias" | "unalias",
    { id, subjectType }: Pick<Profile, "id" | "subjectType">,
    identifiers: UserClaims,
    connectorId: string,
  ): Promise<string> {
    const { writer } = this.#options;
    const position = await writer.accept(organizationId, {
      type,
      at: Date.now(),
      connectorId,
      subject: subjectType,
      [subjectType]: { id },
      create: false,
      active: false,
      body: { ...identifiers },
    });
    await writer.waitFor(organizationId, position);
    return position;
  }
}

function readIdentifiers(subjectType: SubjectType, given: Record<string, unknown>) {
  const wanted = aliasIdentifiers(subjectType, given);
  const claimed = claimedIdentifiers(subjectType, wanted);
  if (claimed.length === 0) {
    throw new Refusal("missing_parameters", `The body names no identifier of the ${subjectType}.`);
  }
  return { wanted, claimed };
}

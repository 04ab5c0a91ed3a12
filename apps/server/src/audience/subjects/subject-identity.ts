import { Refusal } from "@muster/protocol";
import type { SubjectIdentity as IdentityRecord } from "@muster/protocol/api/history";
import { aliasIdentifiers, claimedIdentifiers } from "../../domain/identity/identifiers.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { readMerges } from "../../storage/postgres/profiles/merge-rows.js";
import type { EntryWriter } from "./entry-writer.js";
import type { FindConnector } from "./find-connector.js";
import { nameWriters } from "./name-writers.js";
import { mergeRecord } from "./timeline-items.js";

export interface SubjectIdentityOptions {
  database: Database;
  writer: EntryWriter;
  findConnector: FindConnector;
}

const MAX_MERGES = 200;

/** Reads and changes what a user or account is found by. */
export class SubjectIdentity {
  readonly #options: SubjectIdentityOptions;

  constructor(options: SubjectIdentityOptions) {
    this.#options = options;
  }

  async read(organizationId: string, { id, subjectType, identifiers }: Profile): Promise<IdentityRecord> {
    const { database, findConnector } = this.#options;
    const merges = await readMerges(database, organizationId, id, { limit: MAX_MERGES });
    const sources = merges.map(({ cause }) => cause?.source);
    const writerOf = await nameWriters(findConnector, organizationId, sources);
    return {
      id,
      type: subjectType,
      identifiers,
      merges: merges.map((merge) => ({ merged_at: merge.mergedAt.toISOString(), ...mergeRecord(merge, writerOf) })),
    };
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
    const wanted = aliasIdentifiers(subjectType, given);
    const claimed = claimedIdentifiers(subjectType, wanted);
    if (claimed.length === 0) {
      throw new Refusal("missing_parameters", `The body names no identifier of the ${subjectType}.`);
    }
    const missing = claimed.find(({ kind, value }) => !identifiers[kind]?.includes(value));
    if (missing) {
      const { kind, value } = missing;
      throw new Refusal("conflict", `The ${subjectType} does not have the ${kind} "${value.slice(0, 100)}".`);
    }
    const { writer } = this.#options;
    const position = await writer.accept(organizationId, {
      type: "unalias",
      at: Date.now(),
      connectorId,
      subject: subjectType,
      [subjectType]: { id },
      create: false,
      active: false,
      body: { ...wanted },
    });
    await writer.waitFor(organizationId, position);
    return position;
  }
}

import { Refusal, type SubjectType } from "@muster/protocol";
import type { AttributeState, Writer as WriterRecord } from "@muster/protocol/api/history";
import { attributeName, isStandardField, reportKey, STANDARD_FIELDS } from "@muster/query";
import { type AttributeDefinitions, groupOf } from "../../domain/attributes/attribute-definitions.js";
import { type AttributeValue, isEmptyValue, readValue, sameValue } from "../../domain/attributes/attribute-values.js";
import { isKeptByMuster, settableFieldType } from "../../domain/attributes/standard-fields.js";
import { type AttributeChange, historyOf } from "../../domain/profiles/attribute-history.js";
import type { PastProfile } from "../../domain/profiles/past-profile.js";
import type { Cell, Profile } from "../../domain/profiles/profile.js";
import { reportOf } from "../../domain/profiles/report.js";
import type { Database } from "../../storage/postgres/database.js";
import { findProfile, readFormerIds } from "../../storage/postgres/profiles/profiles.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "../attributes/attribute-definitions.js";
import type { EntryWriter } from "./entry-writer.js";
import type { FindWriter } from "./find-writer.js";
import { nameWriters } from "./name-writers.js";
import { readSubjectEvents } from "./subject-events.js";

export interface SubjectAttributesOptions extends FindWriter {
  database: Database;
  questions: Questions;
  writer: EntryWriter;
  maxAttributes: number;
}

// The latest changes of a subject that are read. A subject with more shows fewer previous values.
const MAX_CHANGES = 500;
const MAX_PREVIOUS = 20;
const NONE: ReadonlySet<string> = new Set();
const NOT_SHOWN = new Set(["id", "indexed_at", "unproved_attributes"]);

/** The attributes of one user or account, with where their values come from. */
export class SubjectAttributes {
  readonly #options: SubjectAttributesOptions;

  constructor(options: SubjectAttributesOptions) {
    this.#options = options;
  }

  /** The attributes that have or had a value, by name. Hidden ones are left out. */
  list(organizationId: string, profile: Profile): Promise<AttributeState[]> {
    return this.#list(organizationId, { profile, ofUnknownOrigin: NONE });
  }

  /** The same at a moment, and the names of those whose former values are not kept. */
  async listAt(
    organizationId: string,
    past: PastProfile,
    moment: number,
  ): Promise<{ attributes: AttributeState[]; not_kept: string[] }> {
    const { database, maxAttributes } = this.#options;
    const definitions = await loadAttributes(database, organizationId, past.profile.subjectType, maxAttributes);
    return { attributes: await this.#list(organizationId, past, moment), not_kept: definitions.untracked() };
  }

  async #list(
    organizationId: string,
    { profile, ofUnknownOrigin }: PastProfile,
    until?: number,
  ): Promise<AttributeState[]> {
    const { database, maxAttributes } = this.#options;
    const { subjectType } = profile;
    const definitions = await loadAttributes(database, organizationId, subjectType, maxAttributes);
    const history = await this.#history(organizationId, profile, until);
    const sources = [
      ...[...profile.cells.values()].map(({ written }) => written.source),
      ...[...history.values()].flat().map(({ source }) => source),
    ];
    const writerOf = await nameWriters(this.#options, organizationId, sources);
    const report = reportOf(profile, definitions, Date.now());
    const keys = new Set([
      ...Object.keys(report),
      ...[...profile.cells.keys()].map((name) => reportKey(subjectType, name)),
    ]);
    return [...keys]
      .filter((key) => !NOT_SHOWN.has(key))
      .map((key) => attributeName(subjectType, key))
      .filter((name) => definitions.get(name)?.visible !== false)
      .map((name) => {
        const cell = profile.cells.get(name);
        const value = report[reportKey(subjectType, name)] ?? null;
        const changes = history.get(name) ?? [];
        return {
          ...stateOf(subjectType, name, value, cell, definitions),
          ...pastOf(changes, writerOf),
          ...(ofUnknownOrigin.has(name) ? { set_at: null, set_by: null } : { set_by: writerOf(cell?.written.source) }),
        };
      })
      .filter(({ value, set_at, previous }) => !isEmptyValue(value) || set_at !== null || previous.length > 0)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Writes values by hand; null unsets an attribute. It takes the path of all other records, so the same rules decide, and
   * the newest write wins. Returns the position of the entry. Without a member, a connector or the operator writes.
   */
  async set(
    organizationId: string,
    { id, subjectType }: Profile,
    given: Readonly<Record<string, unknown>>,
    by: { connectorId: string; memberId?: string },
  ): Promise<string> {
    const { database, writer, maxAttributes } = this.#options;
    const definitions = await loadAttributes(database, organizationId, subjectType, maxAttributes);
    const values = new Map<string, AttributeValue>();
    for (const [key, value] of Object.entries(given)) {
      const name = attributeName(subjectType, key);
      values.set(name, readByHand(subjectType, name, value, definitions));
    }
    if (values.size === 0) throw new Refusal("missing_parameters", "The body names no attribute.");
    const position = await writer.accept(organizationId, {
      type: "traits",
      at: Date.now(),
      ...by,
      subject: subjectType,
      [subjectType]: { id },
      create: false,
      active: false,
      body: Object.fromEntries([...values].map(([name, value]) => [name, { operation: "set", value }])),
    });
    await writer.waitFor(organizationId, position);
    const now = await findProfile(database, subjectType, organizationId, id);
    const [lost] = [...values].find(([name, value]) => !sameValue(now?.cells.get(name)?.value ?? null, value)) ?? [];
    if (lost !== undefined) {
      throw new Refusal(
        "conflict",
        `"${lost}" does not have this value: a newer record has changed it, or the value was refused. The list of rejected entries has the reason.`,
      );
    }
    return position;
  }

  async #history(
    organizationId: string,
    { subjectType, id }: Profile,
    until: number | undefined,
  ): Promise<Map<string, AttributeChange[]>> {
    const former = await readFormerIds(this.#options.database, organizationId, [id]);
    const ids = [id, ...(former.get(id) ?? [])];
    const wanted = { kinds: ["change" as const], limit: MAX_CHANGES, until };
    const events = await readSubjectEvents(this.#options, organizationId, subjectType, ids, wanted);
    return historyOf(events.map(({ item }) => item));
  }
}

/** The value as it will be stored. Refuses what the pipeline would refuse, with the same reason. */
function readByHand(
  subjectType: SubjectType,
  name: string,
  value: unknown,
  definitions: AttributeDefinitions,
): AttributeValue {
  const type = settableFieldType(subjectType, name) ?? definitions.get(name)?.type;
  if (type === undefined) {
    const why = isStandardField(subjectType, name) ? "Muster sets it" : "it is not defined";
    throw new Refusal("invalid_parameter", `The ${subjectType} attribute "${name}" cannot be written: ${why}.`);
  }
  if (value === null || value === undefined) return null;
  // Any other JSON value is one that an attribute may have.
  const reading = readValue(type, value as NonNullable<AttributeValue>);
  if (!reading.ok) throw new Refusal("invalid_parameter", `"${name}" cannot have this value: ${reading.reason}.`);
  return reading.value;
}

function stateOf(
  subjectType: SubjectType,
  name: string,
  value: AttributeValue,
  cell: Cell | undefined,
  definitions: AttributeDefinitions,
) {
  const standard = isStandardField(subjectType, name) ? STANDARD_FIELDS[subjectType][name] : undefined;
  const definition = definitions.get(name);
  return {
    name,
    key: reportKey(subjectType, name),
    type: standard ?? definition?.type ?? "string",
    group: groupOf(name) ?? null,
    value,
    proved: cell?.written.unproved !== true,
    set_at: cell ? new Date(cell.written.at).toISOString() : null,
    tracked: definition?.trackChanges !== false,
    computed: isKeptByMuster(subjectType, name),
  };
}

function pastOf(changes: readonly AttributeChange[], writerOf: (source: string | undefined) => WriterRecord | null) {
  const previous = changes.slice(0, MAX_PREVIOUS).map(({ from, at, source }) => ({
    value: from,
    until: at,
    replaced_by: writerOf(source),
  }));
  return { changed_at: changes[0]?.at ?? null, previous };
}

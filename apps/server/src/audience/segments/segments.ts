import { isDeepStrictEqual } from "node:util";
import { Refusal, type SubjectType } from "@muster/protocol";
import type { Segment as SegmentDetails, SegmentWarning } from "@muster/protocol/api/segments";
import {
  checkQuery,
  type Explanation,
  parse,
  QueryError,
  type ReportTest,
  type ReportTestOptions,
  reportTest,
} from "@muster/query";
import type { Profile } from "../../domain/profiles/profile.js";
import { ALL_VISIBLE, reportOf } from "../../domain/profiles/report.js";
import { type Database, isUniqueViolation } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import { keepVersion, type VersionNote } from "../../storage/postgres/segments/segment-versions.js";
import {
  createSegment,
  findNamesake,
  findSegment,
  listSegments,
  lockSegments,
  measureSegments,
  removeSegment,
  type Segment,
  updateSegment,
} from "../../storage/postgres/segments/segments.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { defineSegment, type GivenDefinition, readNotes } from "./define-segment.js";
import { loadSegments } from "./known-segments.js";
import { bytesOf, requireRoom, requireSmall } from "./segment-limits.js";
import { type JoinedSegment, segmentDetails } from "./segment-record.js";
import { segmentWarnings } from "./segment-warnings.js";

/** A segment with what is probably wrong with its query. */
type CheckedSegment = SegmentDetails & { warnings: SegmentWarning[] };

export interface SegmentsOptions {
  database: Database;
  questions: Questions;
  /** Most segments of an organization. */
  maxSegments: number;
  /** Called after a segment was created, edited or deleted: its members must be found again, and connectors notified. */
  onChange(organizationId: string, segment: Segment, action: "update" | "delete"): Promise<void>;
}

/** Saved queries: their definitions and their members. */
export class Segments {
  readonly #options: SegmentsOptions;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  /** `note` says who creates it. */
  async create(
    organizationId: string,
    subjectType: SubjectType,
    given: GivenDefinition,
    note: VersionNote,
  ): Promise<CheckedSegment> {
    const { database, maxSegments, onChange } = this.#options;
    const definition = { ...defineSegment(subjectType, given), ...readNotes(given) };
    requireSmall(definition);
    await this.#requireFitting(organizationId, subjectType, definition.query);
    const segment = await this.#withOwnName(organizationId, given.name, undefined, () =>
      database.transaction(async (tx) => {
        await lockSegments(tx, organizationId);
        const others = await measureSegments(tx, organizationId);
        if (others.count >= maxSegments) {
          throw new Refusal("conflict", `An organization has at most ${maxSegments} segments (MAX_SEGMENTS).`);
        }
        requireRoom(definition, others);
        const created = await createSegment(tx, organizationId, subjectType, definition);
        await keepVersion(tx, organizationId, created, note);
        return created;
      }),
    );
    await onChange(organizationId, segment, "update");
    return this.#withWarnings(organizationId, segment, segmentDetails(segment, 0));
  }

  async update(
    organizationId: string,
    id: string,
    given: Partial<GivenDefinition>,
    note: VersionNote,
  ): Promise<CheckedSegment | undefined> {
    const { database, onChange } = this.#options;
    const current = await findSegment(database, organizationId, id);
    if (!current) return undefined;
    // A new predicate without a query replaces the old query: an empty one is built from the predicate.
    const query = given.query ?? (Object.keys(given.predicate ?? {}).length > 0 ? {} : current.query);
    const { name = current.name, predicate = predicateFor(current, query) } = given;
    const defined = defineSegment(current.subjectType, { name, query, predicate });
    const definition = { ...defined, ...readNotes(given) };
    const isRedefined =
      name !== current.name || !isDeepStrictEqual([query, predicate], [current.query, current.predicate]);
    // What was larger before a limit may become smaller. Two edits at the same time may go beyond the limit a little.
    if (bytesOf(definition) > bytesOf(current)) {
      requireSmall(definition);
      requireRoom(definition, await measureSegments(database, organizationId, id));
    }
    // A broken segment can be renamed: its query stays as it is.
    if (!isDeepStrictEqual(definition.query, current.query))
      await this.#requireFitting(organizationId, current.subjectType, definition.query);
    const save = () =>
      database.transaction(async (tx) => {
        const updated = await updateSegment(tx, organizationId, id, definition);
        if (updated && isRedefined) await keepVersion(tx, organizationId, updated, note);
        return updated;
      });
    const segment = await (name === current.name ? save() : this.#withOwnName(organizationId, name, id, save));
    if (!segment) return undefined;
    // Neither members nor connectors depend on what people note about a segment.
    if (isRedefined) await onChange(organizationId, segment, "update");
    return this.#withSize(organizationId, segment);
  }

  /** The segments of users or accounts, with functions that say whether a profile fits; null when only the engine can tell. */
  async testsOf(
    organizationId: string,
    subjectType: SubjectType,
  ): Promise<{ segment: { id: string; name: string }; fits: (profile: Profile) => boolean | null }[]> {
    const { database } = this.#options;
    const [segments, attributeTypes] = await Promise.all([
      loadSegments(database, organizationId),
      loadAttributeTypes(database, organizationId),
    ]);
    const now = new Date();
    return segments
      .filter((segment) => segment.subjectType === subjectType)
      .map((segment) => {
        const test = testOf(segment.query, { target: subjectType, attributeTypes, now });
        const canTell = test !== undefined && test.questions.length === 0;
        const fits = (profile: Profile) =>
          canTell ? test.fits(reportOf(profile, ALL_VISIBLE, now.getTime()), new Set()) : null;
        return { segment, fits };
      });
  }

  async remove(organizationId: string, id: string): Promise<boolean> {
    const segment = await findSegment(this.#options.database, organizationId, id);
    if (!segment || !(await removeSegment(this.#options.database, organizationId, id))) return false;
    await this.#options.onChange(organizationId, segment, "delete");
    return true;
  }

  async find(organizationId: string, id: string): Promise<CheckedSegment | undefined> {
    const segment = await findSegment(this.#options.database, organizationId, id);
    return segment && this.#withSize(organizationId, segment);
  }

  async list(organizationId: string, subjectType?: SubjectType): Promise<SegmentDetails[]> {
    const segments = await listSegments(this.#options.database, organizationId, subjectType);
    const ids = segments.map(({ id }) => id);
    const sizes = await this.#options.questions.segmentSizes(organizationId, ids);
    return segments.map((segment) => segmentDetails(segment, sizes.get(segment.id) ?? 0));
  }

  /** The segments that a user or account is in, each with the time at which it entered. */
  async of(organizationId: string, subjectType: SubjectType, id: string): Promise<JoinedSegment[]> {
    const segments = await this.list(organizationId, subjectType);
    if (segments.length === 0) return [];
    const found = await this.#options.questions.membershipsOf(organizationId, [id]);
    const since = new Map(found.get(id)?.map(({ segmentId, enteredAt }) => [segmentId, enteredAt]));
    return segments.flatMap((segment) => {
      const enteredAt = since.get(segment.id);
      return enteredAt === undefined ? [] : [{ ...segment, entered_at: enteredAt }];
    });
  }

  /** The ids of the segments that a user or account is in. Their sizes, which take longer to count, are not needed for it. */
  async idsOf(
    organizationId: string,
    subjectType: SubjectType,
    id: string,
    revisions?: Pick<Revisions, "segments">,
  ): Promise<string[]> {
    const { database, questions } = this.#options;
    const segments = await loadSegments(database, organizationId, revisions);
    const ids = segments.filter((segment) => segment.subjectType === subjectType).map((segment) => segment.id);
    if (ids.length === 0) return [];
    const found = await questions.membershipsOf(organizationId, [id]);
    const joined = new Set(found.get(id)?.map(({ segmentId }) => segmentId));
    return ids.filter((each) => joined.has(each));
  }

  /** Why a user or account is in a segment or not: for each clause, whether it holds and for which values. */
  async explain(organizationId: string, subjectId: string, segmentId: string): Promise<Explanation | undefined> {
    const { database, questions } = this.#options;
    const segment = await findSegment(database, organizationId, segmentId);
    if (!segment) return undefined;
    const target = segment.subjectType;
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    const selection = { target, query: parse(segment.query, { target }), attributeTypes, now: new Date() };
    return questions.explain(organizationId, selection, subjectId);
  }

  async #withSize(organizationId: string, segment: Segment): Promise<CheckedSegment> {
    const sizes = await this.#options.questions.segmentSizes(organizationId, [segment.id]);
    return this.#withWarnings(organizationId, segment, segmentDetails(segment, sizes.get(segment.id) ?? 0));
  }

  async #withWarnings(organizationId: string, segment: Segment, details: SegmentDetails): Promise<CheckedSegment> {
    return { ...details, warnings: await segmentWarnings(this.#options.database, organizationId, segment) };
  }

  /** Refuses a query whose values do not fit the types of the attributes, as a search does. */
  async #requireFitting(organizationId: string, target: SubjectType, query: unknown): Promise<void> {
    const attributeTypes = await loadAttributeTypes(this.#options.database, organizationId);
    checkQuery(parse(query, { target }), { target, attributeTypes, now: new Date() });
  }

  /** Stores a segment under a name that no other has. The index decides between two that are stored at the same time. */
  async #withOwnName<Saved>(
    organizationId: string,
    name: string,
    id: string | undefined,
    save: () => Promise<Saved>,
  ): Promise<Saved> {
    const { database } = this.#options;
    const namesake = await findNamesake(database, organizationId, name, id);
    if (namesake) throw nameIsTaken(namesake);
    try {
      return await save();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw nameIsTaken((await findNamesake(database, organizationId, name, id)) ?? { name });
    }
  }
}

function nameIsTaken({ id, name }: { id?: string; name: string }): Refusal {
  const owner = id === undefined ? "" : ` (${id})`;
  return new Refusal("conflict", `There is already a segment "${name}"${owner}. Choose another name.`, {
    details: [{ path: "body.name", message: `is the name of another segment${owner}` }],
  });
}

/** The predicate of a segment whose query is replaced: one that was made for another query would tell something untrue. */
function predicateFor(current: Segment, query: Record<string, unknown>): Record<string, unknown> {
  const isOther = Object.keys(query).length > 0 && !isDeepStrictEqual(query, current.query);
  return isOther ? {} : current.predicate;
}

/** The test of a stored query; undefined when the query is refused, because of an attribute that has changed since. */
function testOf(query: Segment["query"], options: ReportTestOptions): ReportTest | undefined {
  try {
    return reportTest(parse(query, { target: options.target }), options);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

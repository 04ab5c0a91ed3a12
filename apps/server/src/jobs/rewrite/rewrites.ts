import { isConsent, Refusal, type SubjectType } from "@muster/protocol";
import type { ConversionPreview } from "@muster/protocol/api/attributes";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import { attributeName, isStandardField, parse, parseSort, reportKey } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { loadPresentEventPlans } from "../../audience/events/known-event-plans.js";
import { loadSegments } from "../../audience/segments/known-segments.js";
import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import type { AttributeValue } from "../../domain/attributes/attribute-values.js";
import { convertValue } from "../../domain/attributes/convert-value.js";
import { type JobObject, subjectTypeOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  type AttributeRow,
  changeType,
  findAttribute,
  markRemoving,
} from "../../storage/postgres/definitions/attribute-rows.js";
import { findEventPlan } from "../../storage/postgres/definitions/event-plans.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Jobs } from "../jobs.js";
import type { Rewrite } from "./rewrite-job.js";
import { segmentReads } from "./segment-reads.js";

export interface RewritesOptions {
  database: Database;
  questions: Pick<Questions, "page" | "count" | "countEventsByName">;
  jobs: Jobs;
}

/** An attribute of users or accounts, as a caller names it, and the connector that asks, or empty for people. */
export interface RewriteRequest {
  object: JobObject;
  name: string;
  connectorId: string;
  /** An owner of the organization or the operator asks. Nobody else changes what everybody has agreed to. */
  byOwner: boolean;
}

// A preview reads so many values: more would take longer than somebody waits.
const MAX_CHECKED = 10_000;
const PAGE_SIZE = 1_000;
const MAX_EXAMPLES = 10;

/** Deletes and converts attributes of everybody, and merges names of events. */
export class Rewrites {
  readonly #options: RewritesOptions;

  constructor(options: RewritesOptions) {
    this.#options = options;
  }

  /** What a conversion would do: how many values would be converted and lost, with examples of the lost ones. */
  async preview(
    organizationId: string,
    { object, name: given }: Pick<RewriteRequest, "object" | "name">,
    type: AttributeType,
  ): Promise<ConversionPreview> {
    const subjectType = subjectTypeOf(object);
    const { name } = await this.#require(organizationId, subjectType, given);
    const preview = { total: 0, checked: 0, converted: 0, lost: 0 };
    const examples: ConversionPreview["examples"] = [];
    for await (const { id, value } of this.#values(organizationId, subjectType, name)) {
      preview.checked++;
      const converted = convertValue(type, value);
      if (converted.ok) preview.converted++;
      else {
        preview.lost++;
        if (examples.length < MAX_EXAMPLES) examples.push({ id, value, reason: converted.reason });
      }
    }
    preview.total = Math.max(preview.checked, await this.#count(organizationId, subjectType, name));
    return { ...preview, examples, segments: await this.#segmentsOf(organizationId, subjectType, name) };
  }

  /**
   * Gives an attribute another type at once, and schedules the job that converts the stored values. A conversion to the
   * present type finishes one that has failed.
   */
  async convert(
    organizationId: string,
    { object, name: given, connectorId, byOwner }: RewriteRequest,
    type: AttributeType,
  ): Promise<JobRecord> {
    const { database } = this.#options;
    const subjectType = subjectTypeOf(object);
    const { name, type: before, removing } = await this.#require(organizationId, subjectType, given);
    requireMayRewrite(name, byOwner);
    if (removing) throw new Refusal("conflict", `"${name}" is being deleted.`);
    await changeType(database, organizationId, subjectType, name, type);
    const parameters: Rewrite = { kind: "convert_attribute", name, type };
    return this.#schedule(organizationId, object, connectorId, `${name}: ${before} to ${type}`, parameters);
  }

  /** Hides an attribute at once, and schedules the job that deletes its values. Segments that use it prevent that. */
  async delete(
    organizationId: string,
    { object, name: given, connectorId, byOwner }: RewriteRequest,
  ): Promise<JobRecord> {
    const { database } = this.#options;
    const subjectType = subjectTypeOf(object);
    const { name } = await this.#require(organizationId, subjectType, given);
    requireMayRewrite(name, byOwner);
    const segments = await this.#segmentsOf(organizationId, subjectType, name);
    if (segments.length > 0) {
      const names = segments.map((segment) => `"${segment.name}"`).join(", ");
      throw new Refusal("conflict", `Segments ask for "${name}": ${names}. Change or delete them first.`);
    }
    await markRemoving(database, organizationId, subjectType, name);
    const parameters: Rewrite = { kind: "delete_attribute", name };
    return this.#schedule(organizationId, object, connectorId, `${name} deleted`, parameters);
  }

  /** Schedules the job that merges one event name into another. Whoever asks for the first name finds the events of both. */
  async mergeEvents(
    organizationId: string,
    { from, into: given, connectorId }: { from: string; into: string; connectorId: string },
  ): Promise<JobRecord> {
    const { database, questions } = this.#options;
    const plans = await loadPresentEventPlans(database, organizationId);
    const into = plans.currentName(given);
    if (from === into) throw new Refusal("invalid_parameter", `"${from}" cannot be merged into itself.`);
    const current = plans.currentName(from);
    if (current !== from && current !== into) {
      throw new Refusal("conflict", `"${from}" was merged into "${current}". Undo that first.`);
    }
    const counts = await questions.countEventsByName(organizationId, [from, into]);
    const own = counts.find(({ emitted }) => emitted);
    if (own) throw new Refusal("invalid_parameter", `Muster itself makes events "${own.event}": they keep their name.`);
    const parameters: Rewrite = { kind: "merge_events", from, into };
    return this.#schedule(organizationId, "events", connectorId, `${from} into ${into}`, parameters);
  }

  /** Schedules the job that undoes the merge of an event name. */
  async unmergeEvent(
    organizationId: string,
    { event, connectorId }: { event: string; connectorId: string },
  ): Promise<JobRecord> {
    const { database } = this.#options;
    const plan = await findEventPlan(database, organizationId, event);
    if (!plan?.mergedInto) throw new Refusal("not_found", `"${event}" is not merged into another name.`);
    if (!plan.keepsSentNames) {
      throw new Refusal(
        "conflict",
        `"${event}" was merged by an earlier version, so its events do not know the name that they came with.`,
      );
    }
    const from = (await loadPresentEventPlans(database, organizationId)).currentName(event);
    const parameters: Rewrite = { kind: "unmerge_event", name: event };
    return this.#schedule(organizationId, "events", connectorId, `${event} out of ${from}`, parameters);
  }

  #schedule(
    organizationId: string,
    object: JobObject,
    connectorId: string,
    name: string,
    parameters: Rewrite,
  ): Promise<JobRecord> {
    return this.#options.jobs.schedule(organizationId, { type: "rewrite", object, name, connectorId, parameters });
  }

  async #require(organizationId: string, subjectType: SubjectType, given: string): Promise<AttributeRow> {
    const name = attributeName(subjectType, given);
    if (isStandardField(subjectType, name)) {
      throw new Refusal("invalid_parameter", `"${name}" is a standard field: its definition is fixed.`);
    }
    const row = await findAttribute(this.#options.database, organizationId, subjectType, name);
    if (!row) throw new Refusal("not_found", `There is no ${subjectType} attribute "${name}".`);
    if (row.computedBy !== null) {
      throw new Refusal("conflict", `"${name}" is computed. Delete the computed attribute ${row.computedBy} instead.`);
    }
    return row;
  }

  /** The values that the question engine has, at most so many. */
  async *#values(organizationId: string, subjectType: SubjectType, name: string) {
    const { questions } = this.#options;
    const key = reportKey(subjectType, name);
    const selection = await this.#selection(organizationId, subjectType, key);
    const sort = parseSort({ id: "asc" }, { target: subjectType });
    let searchAfter: unknown;
    for (let read = 0; read < MAX_CHECKED; read += PAGE_SIZE) {
      const page = { sort, limit: PAGE_SIZE, ...(searchAfter === undefined ? {} : { searchAfter }) };
      const rows = await questions.page(organizationId, selection, page);
      for (const { id, report } of rows) {
        const value = (report[key] ?? null) as AttributeValue;
        if (value !== null) yield { id, value };
      }
      if (rows.length < PAGE_SIZE) return;
      searchAfter = rows.at(-1)?.cursor;
    }
  }

  async #count(organizationId: string, subjectType: SubjectType, name: string): Promise<number> {
    const selection = await this.#selection(organizationId, subjectType, reportKey(subjectType, name));
    return this.#options.questions.count(organizationId, selection);
  }

  async #selection(organizationId: string, target: SubjectType, field: string) {
    const attributeTypes = await loadAttributeTypes(this.#options.database, organizationId);
    return { target, query: parse({ exists: { field } }, { target }), attributeTypes, now: new Date() };
  }

  /** The segments whose queries ask for an attribute. A query that cannot be read asks for nothing. */
  async #segmentsOf(organizationId: string, subjectType: SubjectType, name: string) {
    const segments = await loadSegments(this.#options.database, organizationId);
    const users = segments.filter((segment) => segmentReads(segment)?.[subjectType].includes(name));
    return users.map(({ id, name: called }) => ({ id, name: called }));
  }
}

/** Without its consents, a refusal with proof would be forgotten, and a browser alone could agree again. */
function requireMayRewrite(name: string, byOwner: boolean): void {
  if (byOwner || !isConsent(name)) return;
  throw new Refusal(
    "forbidden",
    `"${name}" says what people have agreed to: only an owner or the operator may delete or convert it.`,
  );
}

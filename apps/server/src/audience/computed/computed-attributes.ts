import { isDeepStrictEqual } from "node:util";
import { Refusal, type SubjectType } from "@muster/protocol";
import type {
  Compute,
  ComputedAttribute,
  ComputedAttributeChange,
  ComputedExplanation,
  ComputedPreview,
  NewComputedAttribute,
} from "@muster/protocol/api/computed-attributes";
import { attributeName } from "@muster/query";
import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import { type Computation, movesWithTime, readComputation } from "../../domain/computed/computation.js";
import { computedNameProblem, computedNameProblemInWords } from "../../domain/computed/computed-name-problem.js";
import { orderFormulas } from "../../domain/computed/formula-order.js";
import type { Profile } from "../../domain/profiles/profile.js";
import {
  claimAttribute,
  createComputed,
  findComputed,
  listComputed,
  lockComputed,
  removeComputed,
  type StoredComputed,
  updateComputed,
} from "../../storage/postgres/computed/computed-attributes.js";
import { findAttribute } from "../../storage/postgres/definitions/attribute-rows.js";
import { checkComputation } from "./check-computation.js";
import { computedRecord } from "./computed-record.js";
import { type ExplainOptions, explainComputed } from "./explain-computed.js";
import { previewComputed } from "./preview-computed.js";

export interface ComputedAttributesOptions extends ExplainOptions {
  maxComputedAttributes: number;
  maxAttributes: number;
  /** Called after a computed attribute was created or edited: its values must be computed. */
  onChange(organizationId: string): void;
}

/** Deletes the values of an attribute, and returns the id of the job that does it. Refuses when it must stay. */
export type DeleteValues = (subjectType: SubjectType, name: string) => Promise<string>;

/** Attributes whose values are computed: their definitions. The pipeline computes the values (pipeline/compute). */
export class ComputedAttributes {
  readonly #options: ComputedAttributesOptions;

  constructor(options: ComputedAttributesOptions) {
    this.#options = options;
  }

  async list(organizationId: string, target?: SubjectType): Promise<ComputedAttribute[]> {
    const all = await listComputed(this.#options.database, organizationId);
    return all.filter(({ subjectType }) => target === undefined || subjectType === target).map(computedRecord);
  }

  async find(organizationId: string, id: string): Promise<ComputedAttribute | undefined> {
    const found = await findComputed(this.#options.database, organizationId, id);
    return found && computedRecord(found);
  }

  async create(organizationId: string, given: NewComputedAttribute): Promise<ComputedAttribute> {
    const { database, maxComputedAttributes, onChange } = this.#options;
    const { target, compute, description = "" } = given;
    const name = attributeName(target, given.name);
    requireUsableName(target, name);
    const { computation, type } = await checkComputation(database, organizationId, {
      target,
      compute,
      type: given.type,
    });
    const created = await database.transaction(async (tx) => {
      const known = await lockComputed(tx, organizationId);
      if (known.length >= maxComputedAttributes) {
        throw new Refusal(
          "conflict",
          `An organization has at most ${maxComputedAttributes} computed attributes (MAX_COMPUTED_ATTRIBUTES).`,
        );
      }
      requireNoCycle(target, name, computation, known);
      const attribute = await findAttribute(tx, organizationId, target, name);
      requireFree(name, attribute, type, given.replace === true);
      const stored = await createComputed(tx, organizationId, {
        subjectType: target,
        name,
        description,
        compute,
        type,
        movesWithTime: movesWithTime(computation),
      });
      await claimAttribute(tx, organizationId, target, { name, type, description, by: stored.id });
      return stored;
    });
    onChange(organizationId);
    return computedRecord(created);
  }

  /** Changes a definition; what is left out stays as it is. Another computation is filled anew. */
  async update(
    organizationId: string,
    id: string,
    given: ComputedAttributeChange,
  ): Promise<ComputedAttribute | undefined> {
    const { database, onChange } = this.#options;
    const present = await findComputed(database, organizationId, id);
    if (!present) return undefined;
    const { compute = present.compute, description = present.description } = given;
    const { subjectType, name, type } = present;
    const isOther = !isDeepStrictEqual(compute, present.compute);
    if (isOther) requireUsableName(subjectType, name);
    // A broken one can be described anew: its computation stays as it is.
    const checked = isOther
      ? await checkComputation(database, organizationId, { target: subjectType, compute, type })
      : undefined;
    const updated = await database.transaction(async (tx) => {
      const known = await lockComputed(tx, organizationId);
      if (checked) requireNoCycle(subjectType, name, checked.computation, known);
      const moves = checked ? movesWithTime(checked.computation) : present.movesWithTime;
      return updateComputed(tx, organizationId, id, { description, compute, movesWithTime: moves });
    });
    if (isOther) onChange(organizationId);
    return updated && computedRecord(updated);
  }

  /** The values that some users or accounts would get. */
  preview(
    organizationId: string,
    given: { target: SubjectType; compute: Compute; type?: AttributeType | undefined },
  ): Promise<ComputedPreview> {
    return previewComputed(this.#options, organizationId, given);
  }

  /** How the value of a user or account came to be; undefined when there is no computed attribute of that name. */
  explain(organizationId: string, profile: Profile, name: string): Promise<ComputedExplanation | undefined> {
    return explainComputed(this.#options, organizationId, profile, attributeName(profile.subjectType, name));
  }

  /**
   * Removes a definition. Its values are deleted by a job, or stay as those of an ordinary attribute. Refused while other
   * computed attributes read it. Undefined when there is none.
   */
  async remove(
    organizationId: string,
    id: string,
    deleteValues: DeleteValues | undefined,
  ): Promise<{ jobId: string | null } | undefined> {
    const { database } = this.#options;
    const present = await findComputed(database, organizationId, id);
    if (!present) return undefined;
    const { subjectType, name, type, description } = present;
    const claim = (by: string | null) =>
      database.transaction((tx) => claimAttribute(tx, organizationId, subjectType, { name, type, description, by }));
    requireUnread(present, await listComputed(database, organizationId));
    await claim(null);
    let jobId: string | null = null;
    try {
      if (deleteValues) jobId = await deleteValues(subjectType, name);
    } catch (error) {
      await claim(id);
      throw error;
    }
    await database.transaction((tx) => removeComputed(tx, organizationId, id));
    return { jobId };
  }
}

function requireUsableName(target: SubjectType, name: string): void {
  const problem = computedNameProblem(target, name);
  if (problem === undefined) return;
  throw new Refusal("invalid_parameter", computedNameProblemInWords(name, problem), {
    details: [{ path: "body.name", message: problem }],
  });
}

function requireFree(
  name: string,
  attribute: Awaited<ReturnType<typeof findAttribute>>,
  type: string,
  replaces: boolean,
): void {
  if (!attribute) return;
  if (attribute.computedBy !== null) {
    throw new Refusal("conflict", `"${name}" is computed already, by ${attribute.computedBy}.`);
  }
  if (attribute.removing) throw new Refusal("conflict", `"${name}" is being deleted.`);
  if (!replaces) {
    throw new Refusal(
      "conflict",
      `There is an attribute "${name}" that others write. With replace, it is computed from now on.`,
    );
  }
  if (attribute.type !== type) {
    throw new Refusal("conflict", `The type of "${name}" is ${attribute.type}, and ${type} is computed.`);
  }
}

/** Refuses formulas that read one another in a circle. */
function requireNoCycle(
  target: SubjectType,
  name: string,
  computation: Computation,
  known: readonly StoredComputed[],
): void {
  if (computation.kind !== "formula") return;
  const others = known.flatMap((stored) => {
    const { subjectType, compute } = stored;
    if (subjectType !== target || stored.name === name || compute.formula === undefined) return [];
    const other = readComputation(subjectType, compute);
    return other.kind === "formula" ? [{ name: stored.name, reads: other.formula.reads }] : [];
  });
  const answer = orderFormulas([...others, { name, reads: computation.formula.reads }]);
  if ("cycle" in answer) {
    const circle = answer.cycle.join(" → ");
    throw new Refusal("invalid_parameter", `compute.formula: these formulas read one another: ${circle}.`, {
      details: [{ path: "body.compute.formula", message: `reads itself: ${circle}` }],
    });
  }
}

function requireUnread(removed: StoredComputed, known: readonly StoredComputed[]): void {
  const readers = known.filter(({ id, subjectType, compute }) => {
    if (id === removed.id) return false;
    const computation = readComputation(subjectType, compute);
    if (computation.kind === "formula") {
      return subjectType === removed.subjectType && computation.formula.reads.includes(removed.name);
    }
    return computation.kind === "users" && removed.subjectType === "user" && computation.attribute === removed.name;
  });
  if (readers.length === 0) return;
  const names = readers.map(({ name }) => `"${name}"`).join(", ");
  throw new Refusal("conflict", `Other computed attributes read "${removed.name}": ${names}. Delete them first.`);
}

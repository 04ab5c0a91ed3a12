import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, type FieldType, parse, type Target } from "@muster/query";
import type { ChangeSet, Evaluation, SegmentMoves } from "../../../domain/changes/change-set.js";
import type { Selection } from "../asking.js";
import type { TypeOf } from "../projection.js";
import type { Questions } from "../questions.js";
import { NOW } from "./dataset.test.data.js";
import { changeOf, type StepOptions, stepOf, typesOf } from "./steps.test.kit.js";

/** An id that encodes a name of at most twelve ASCII characters. Ids have the same order as their names. */
export function idOf(name: string): string {
  const hex = Buffer.from(name, "ascii").toString("hex");
  if (hex.length > 24) throw new Error(`"${name}" is too long for an id.`);
  return hex.padEnd(24, "0");
}

export function nameOf(id: string): string {
  return Buffer.from(id.replace(/(?:00)+$/, ""), "hex").toString("ascii");
}

export type Types = Readonly<Record<SubjectType, Readonly<Record<string, FieldType>>>>;

let organizationCount = 0;

/** Creates a new organization without documents, so that several tests can use the same engine. */
export async function openOrganization(questions: Questions, types: Partial<Types> = {}): Promise<Organization> {
  organizationCount += 1;
  const id = `00000001${organizationCount.toString(16).padStart(16, "0")}`;
  await questions.begin(id, "first");
  await questions.endDocuments(id, 0);
  return new Organization(questions, id, { user: {}, account: {}, ...types });
}

/** An organization whose change log is written by a test, one change at a time. */
export class Organization {
  readonly id: string;
  readonly typeOf: TypeOf;
  readonly attributeTypes: AttributeTypes;
  readonly #questions: Questions;
  #sequence: number;

  constructor(questions: Questions, id: string, types: Types, sequence = 0) {
    this.id = id;
    this.typeOf = typesOf(types);
    this.attributeTypes = { typeOf: (kind, key) => this.typeOf(kind, key) };
    this.#questions = questions;
    this.#sequence = sequence;
  }

  /** The same organization in an engine that was opened again. */
  in(questions: Questions): Organization {
    const again = new Organization(questions, this.id, { user: {}, account: {} }, this.#sequence);
    return Object.assign(again, { typeOf: this.typeOf, attributeTypes: this.attributeTypes });
  }

  /** Writes the next change as one step and returns its sequence. */
  async write(change: Partial<ChangeSet>, documents: Omit<StepOptions, "typeOf"> = {}): Promise<number> {
    this.#sequence += 1;
    const step = stepOf([changeOf(this.#sequence, change)], { ...documents, typeOf: this.typeOf });
    await this.#questions.writeChanges(this.id, step);
    return this.#sequence;
  }

  /** Writes documents only. */
  writeUsers(...written: NonNullable<NonNullable<StepOptions["users"]>["written"]>): Promise<number> {
    return this.write({}, { users: { written } });
  }

  writeAccounts(...written: NonNullable<NonNullable<StepOptions["accounts"]>["written"]>): Promise<number> {
    return this.write({}, { accounts: { written } });
  }

  select(query: unknown, target: Target = "user"): Selection {
    return { target, query: parse(query, { target }), attributeTypes: this.attributeTypes, now: NOW };
  }

  /** The names of the selected rows, in the order of their ids. */
  async find(query: unknown = {}, target: Target = "user"): Promise<string> {
    const rows = await this.#questions.page(this.id, this.select(query, target), { sort: [], limit: 1_000 });
    return rows.map(({ id }) => nameOf(id)).join(" ");
  }

  count(query: unknown = {}, target: Target = "user"): Promise<number> {
    return this.#questions.count(this.id, this.select(query, target));
  }

  /** The report or event with an id, as it is on a page. */
  async read(id: string, target: Target = "user"): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#questions.page(this.id, this.select({ term: { id } }, target), { sort: [], limit: 1 });
    return row?.report;
  }
}

/** An evaluation in which the named subjects enter or leave one segment. */
export function evaluationOf(
  segment: string,
  { entered = [], left = [], ...more }: Partial<SegmentMoves>,
  at = NOW.toISOString(),
): Evaluation {
  const move = { segmentId: idOf(segment), segmentName: segment, subjectType: "user" as const, ...more };
  return { at, moves: [{ ...move, entered: entered.map(idOf), left: left.map(idOf) }] };
}

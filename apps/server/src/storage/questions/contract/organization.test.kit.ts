import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, type FieldType, parse, type Target } from "@muster/query";
import type { ChangeSet, Evaluation, MembershipMove } from "../../../domain/changes/change-set.js";
import type { Selection } from "../asking.js";
import type { TypeOf } from "../projection.js";
import type { Questions } from "../questions.js";
import { NOW } from "./dataset.test.data.js";
import { changeOf, type StepOptions, stepOf, typesOf } from "./steps.test.kit.js";

/** An id that reads as a name of at most twelve ASCII characters; ids are in the order of their names. */
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

/** A new organization with no documents, so that tests of one engine keep out of one another's way. */
export async function openOrganization(questions: Questions, types: Partial<Types> = {}): Promise<Organization> {
  organizationCount += 1;
  const id = `00000001${organizationCount.toString(16).padStart(16, "0")}`;
  await questions.begin(id, "first");
  await questions.endDocuments(id, 0);
  return new Organization(questions, id, { user: {}, account: {}, ...types });
}

/** An organization whose change log a test writes, change by change. */
export class Organization {
  readonly id: string;
  readonly typeOf: TypeOf;
  readonly attributeTypes: AttributeTypes;
  readonly #questions: Questions;
  #sequence = 0;

  constructor(questions: Questions, id: string, types: Types) {
    this.id = id;
    this.typeOf = typesOf(types);
    this.attributeTypes = { typeOf: (kind, key) => this.typeOf(kind, key) };
    this.#questions = questions;
  }

  /** Writes the next change as a step of its own and returns its sequence. */
  async write(change: Partial<ChangeSet>, documents: Omit<StepOptions, "typeOf"> = {}): Promise<number> {
    this.#sequence += 1;
    const step = stepOf([changeOf(this.#sequence, change)], { ...documents, typeOf: this.typeOf });
    await this.#questions.writeChanges(this.id, step);
    return this.#sequence;
  }

  /** Writes documents and nothing else. */
  writeUsers(...written: NonNullable<NonNullable<StepOptions["users"]>["written"]>): Promise<number> {
    return this.write({}, { users: { written } });
  }

  writeAccounts(...written: NonNullable<NonNullable<StepOptions["accounts"]>["written"]>): Promise<number> {
    return this.write({}, { accounts: { written } });
  }

  select(query: unknown, target: Target = "user"): Selection {
    return { target, query: parse(query, { target }), attributeTypes: this.attributeTypes, now: NOW };
  }

  /** The names of what is found, in the order of their ids. */
  async find(query: unknown = {}, target: Target = "user"): Promise<string> {
    const rows = await this.#questions.page(this.id, this.select(query, target), { sort: [], limit: 1_000 });
    return rows.map(({ id }) => nameOf(id)).join(" ");
  }

  count(query: unknown = {}, target: Target = "user"): Promise<number> {
    return this.#questions.count(this.id, this.select(query, target));
  }

  /** The report or event of an id, as a page shows it. */
  async read(id: string, target: Target = "user"): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#questions.page(this.id, this.select({ term: { id } }, target), { sort: [], limit: 1 });
    return row?.report;
  }
}

/** An evaluation in which some enter or leave one segment, given by names. */
export function evaluationOf(
  segment: string,
  { entered = [], left = [], ...more }: Partial<MembershipMove>,
  at = NOW.toISOString(),
): Evaluation {
  const move = { segmentId: idOf(segment), segmentName: segment, subjectType: "user" as const, ...more };
  return { at, moves: [{ ...move, entered: entered.map(idOf), left: left.map(idOf) }] };
}
